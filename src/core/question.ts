import type { AskReply } from './agent-ask.ts'
import type { FileLines, TextRef } from './event-data.ts'
import type { PartSpec } from './run-config.ts'
import type { Ruling } from './ruling.ts'
import type { Saying } from './saying.ts'
import type { SuspicionKind } from './suspicion.ts'

/** A question a person can answer in ten seconds, also days later. */
export interface Question {
  /** What kind of question it is. Absent for a loop of your own, and in journals written before there were codes. */
  readonly code?: string
  readonly text: string
  readonly options: readonly Option[]
  /** The pattern seen over the attempts, in one sentence. */
  readonly pattern?: string
  /** One line for each attempt, the newest last. */
  readonly attempts: readonly string[]
  /** Everything that fails, consolidated over the attempts. */
  readonly feedback?: readonly string[]
  /** What to do about it before answering, in order: a state to go back to, and what helps against the guards that tripped. */
  readonly steps?: readonly string[]
  /** The last attempt's changes, where escalations include them. */
  readonly diff?: TextRef
  /** The first lines of it. */
  readonly changes?: readonly FileLines[]
  /** `text` (a sentence a line), `pattern` and `steps` as data: which sentences, with their values. */
  readonly says?: {
    readonly text: readonly Saying[]
    readonly pattern?: readonly Saying[]
    readonly steps?: readonly Saying[]
  }
}

export interface Option {
  /** Stable name, for programs: `continue`, `accept`, `abort`. A person may also give its number. */
  readonly choice: string
  readonly label: string
  readonly consequence: Consequence
  /** What happens after it is chosen, in one sentence. */
  readonly then?: string
  readonly recommended?: boolean
  /** `label` and `then` as data: which sentences, with their values. */
  readonly says?: { readonly label: Saying; readonly after?: Saying }
}

/** What happens when the option is chosen. */
export type Consequence =
  /**
   * Continue: `raises` lift settings of guards, `waives` lets guards be passed once, `disputes` says that guards were wrong, `allows`
   * lets the agent do a part of what a guard watches, `makes` says that what a check runs is part of the work, `guidance` goes to the agent, `agent` is the one that works from now on,
   * `reply` is what the agent gets for an answer when it asks again.
   */
  | {
      readonly kind: 'continue'
      readonly raises?: readonly Raise[]
      readonly waives?: readonly string[]
      readonly disputes?: readonly string[]
      readonly allows?: readonly Allowance[]
      /** The check whose script or file is for the agent to make. */
      readonly makes?: string
      readonly guidance?: string
      /** Which side of a test is right, where `guidance` says that. */
      readonly ruling?: Ruling
      /** A stable name of what the choice settles: an answer counts again when a question settles the same. */
      readonly settles?: string
      readonly agent?: PartSpec
      /** Checks that are added: the pass is checked again with them, and nobody works meanwhile. */
      readonly checks?: readonly PartSpec[]
      /** Set if the note is the command of such a check. */
      readonly takesCommand?: true
      readonly reply?: Omit<AskReply, 'key'>
    }
  /** Take the work as it is: the run, or the unit of work under way, is completed. `disputes` says that guards were wrong not to believe it. */
  | { readonly kind: 'accept'; readonly disputes?: readonly string[] }
  /** A person's review of the work; a note with `reject` goes to the agent. */
  | { readonly kind: 'approve' | 'reject' }
  | { readonly kind: 'abort' }

/** What a person lets the agent do until the run, or the unit of work, ends: everything else that the guard watches still trips. */
export interface Allowance {
  readonly guard: 'tampering'
  readonly kinds: readonly SuspicionKind[]
  /** The file it may be done in. Absent if it is not known: then in any one that is a test by its name or folder. */
  readonly file?: string
}

/** A guard's setting and its new value, with which the guard would not have tripped. */
export interface Raise {
  readonly guard: string
  readonly setting: string
  readonly to: number
  /** The same in words: "up to 6 iterations". */
  readonly label: string
}

/** The choice that says a guard was wrong. */
export const FALSE_ALARM = 'false-alarm'

/** The answer of a person who says in their own words how to continue: the agent gets only their note. */
export const OWN_WORDS = 'words'

/** The option a person means: its name, or its number counted from 1. */
export function optionChosen(question: Question, choice: string): Option | undefined {
  const wanted = choice.trim()
  const option = question.options.find((each, index) => each.choice === wanted || String(index + 1) === wanted)
  return option ?? (wanted === OWN_WORDS ? inOwnWords(question) : undefined)
}

function inOwnWords({ options }: Question): Option | undefined {
  const on = options.map(({ consequence }) => consequence).find(({ kind }) => kind === 'continue')
  if (on?.kind !== 'continue') return undefined
  if (on.reply) return optionForWords(options)
  const raises = on.raises === undefined ? {} : { raises: on.raises }
  return { choice: OWN_WORDS, label: 'In their own words', consequence: { kind: 'continue', ...raises } }
}

/** To an agent that asks, words are the answer if it takes any; otherwise they say why not. */
function optionForWords(options: readonly Option[]): Option | undefined {
  return ['words', 'deny-once', 'deny-always'].map((kind) => options.find((each) => replyKind(each) === kind)).find(Boolean)
}

function replyKind({ consequence }: Option): string | undefined {
  return consequence.kind === 'continue' ? consequence.reply?.optionKind : undefined
}
