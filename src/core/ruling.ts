/** Which side a person says is right where code and test disagree: the test, the code, or both. */
export type RightSide = 'test' | 'code' | 'both'

/** A person's decision about one test, as data: agents that are programs read it too. */
export interface Ruling {
  /** The test's id. */
  readonly test: string
  readonly right: RightSide
  /** What the test expects, and what the code gives. */
  readonly wanted: string
  readonly given: string
}

/** What a person's choice tells the agent, with what it settles. */
export interface Guidance {
  /** The note that says it to the agent. */
  readonly note: string
  /** A stable name of what the choice settles. */
  readonly settles?: string
  readonly ruling?: Ruling
}

interface Notes {
  readonly guidance?: readonly Guidance[]
  readonly notes: readonly string[]
}

/** The guidance that applies: the agent still gets its note. */
export function guidanceNow({ guidance = [], notes }: Notes): readonly Guidance[] {
  return guidance.filter(({ note }) => notes.includes(note))
}

/** The rulings that apply. */
export function rulingsNow(state: Notes): readonly Ruling[] {
  return guidanceNow(state).flatMap(({ ruling }) => ruling ?? [])
}

/** The guidance and notes without those that a new ruling about the same test replaces. */
export function withoutOverruled(state: Notes, { test }: Ruling): Required<Notes> {
  const { guidance = [], notes } = state
  const old = new Set(guidance.flatMap(({ note, ruling }) => (ruling?.test === test ? [note] : [])))
  return { guidance: guidance.filter(({ note }) => !old.has(note)), notes: notes.filter((note) => !old.has(note)) }
}
