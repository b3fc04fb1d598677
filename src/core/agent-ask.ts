/** What an agent asks while it works: leave to do something, or its own question. */
export interface AgentAsk {
  /** The same for the same wish, whatever session it comes from; another one for any other. */
  readonly id: string
  /** What it is about: a kind of tool (`execute`, `edit`), or `question`. */
  readonly kind: string
  /** What it wants, in one line. */
  readonly title: string
  /** More of it, at most `ASK_DETAIL_LENGTH_MAX` characters. */
  readonly detail?: string
  readonly options: readonly AskOption[]
}

/** One of the answers that the agent takes. */
export interface AskOption {
  readonly id: string
  readonly label: string
  /** Pawl gives an `always` answer again until the run ends; how far it holds beyond, the agent decides. `words` takes a text of the person. */
  readonly kind: AskOptionKind
}

export type AskOptionKind = 'allow-once' | 'allow-always' | 'deny-once' | 'deny-always' | 'answer' | 'words'

/** A person's answer to what an agent asked, kept until the agent asks again. */
export interface AskReply {
  readonly ask: string
  readonly title: string
  readonly option: string
  readonly optionKind: AskOptionKind
  readonly label: string
  /** What the person said besides. */
  readonly note?: string
  /** The work that it was given to. */
  readonly key: string
  /** Set when that work had been put aside for it; `session` is the agent's, if it can continue it. */
  readonly isAfterBreak?: true
  readonly session?: string
  /** Set once it was handed to the agent in the present stretch of work. */
  readonly isUsed?: true
}

/** What decides when an agent asks and nobody is there: a person, later (`ask`), or at once. */
export type PermissionPolicy = 'ask' | 'allow' | 'deny'

/** Whether the answer holds for every wish of this kind from now on. */
export function isLasting(kind: AskOptionKind): boolean {
  return kind === 'allow-always' || kind === 'deny-always'
}

/** How much of an agent's wish is kept and shown. */
export const ASK_DETAIL_LENGTH_MAX = 2000
