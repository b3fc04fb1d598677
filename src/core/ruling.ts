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

/** A ruling that was given, with the note that says it to the agent. */
export interface GivenRuling extends Ruling {
  readonly note: string
}

/** The rulings that apply: those whose note the agent still gets. */
export function rulingsNow({
  rulings = [],
  notes,
}: {
  readonly rulings?: readonly GivenRuling[]
  readonly notes: readonly string[]
}): readonly Ruling[] {
  return rulings.filter(({ note }) => notes.includes(note)).map(({ note: _said, ...ruling }) => ruling)
}

/** The rulings and notes without those that a new one about the same test replaces. */
export function withoutOverruled(
  { rulings = [], notes }: { readonly rulings?: readonly GivenRuling[]; readonly notes: readonly string[] },
  { test }: Ruling,
): { readonly rulings: readonly GivenRuling[]; readonly notes: readonly string[] } {
  const old = new Set(rulings.filter((ruling) => ruling.test === test).map(({ note }) => note))
  return {
    rulings: rulings.filter((ruling) => ruling.test !== test),
    notes: notes.filter((note) => !old.has(note)),
  }
}
