import type { IterationSummary, State } from '../state.ts'

/** The iterations that guards may hold against the agent, the newest last: those since a person last stepped in. */
export function freshIterations({ recent, measures: { since } }: State): readonly IterationSummary[] {
  return recent.filter(({ iteration }) => iteration > since)
}
