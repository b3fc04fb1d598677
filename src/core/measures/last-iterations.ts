import type { Failure } from '../failure.ts'
import type { IterationSummary, State } from '../state.ts'
import { hidesTests } from './test-changes.ts'

/** The last attempts that `holds` is true of, the newest last: a pattern is about what happens now. */
export function lastWhile(
  recent: readonly IterationSummary[],
  holds: (iteration: IterationSummary) => boolean,
): readonly IterationSummary[] {
  const broken = recent.findLastIndex((iteration) => !holds(iteration))
  return recent.slice(broken + 1)
}

/** The last attempts of which each is like the one before it. */
export function lastAlike(
  recent: readonly IterationSummary[],
  isLike: (later: IterationSummary, earlier: IterationSummary) => boolean,
): readonly IterationSummary[] {
  let start = recent.length - 1
  for (; start > 0; start--) {
    const earlier = recent[start - 1]
    const later = recent[start]
    if (!earlier || !later || !isLike(later, earlier)) break
  }
  return recent.slice(Math.max(0, start))
}

/** The names of what failed, flaky tests left out. */
export function failingIds({ failures }: IterationSummary): readonly string[] {
  return namesOnce(failures.filter(({ isFlaky }: Failure) => !isFlaky).map((failure) => failure.id))
}

/** How much fails, flaky tests left out. */
function failingCount({ verdict, failures }: IterationSummary): number {
  return verdict.failing - failures.filter(({ isFlaky }) => isFlaky).length
}

/** Whether tests could not run because code did not compile or load: which tests fail then says nothing about them. */
export function hidTests({ failures }: IterationSummary): boolean {
  return failures.some(hidesTests)
}

/** Those whose failures can be compared: an attempt that did not compile is left out, unless none of them did. */
export function comparable(iterations: readonly IterationSummary[]): readonly IterationSummary[] {
  const ran = iterations.filter((iteration) => !hidTests(iteration))
  return ran.length === 0 ? iterations : ran
}

/** Each name once. */
export function namesOnce(names: readonly string[]): readonly string[] {
  return names.length < 2 ? names : [...new Set(names)]
}

/** Whether the same tests failed. Of long lists earlier attempts remember only the beginning, so there the ledger says it. */
export function hasSameTests(later: IterationSummary, earlier: IterationSummary): boolean {
  const ids = failingIds(later)
  const before = new Set(failingIds(earlier))
  if (ids.length === 0 || before.size === 0 || failingCount(later) !== failingCount(earlier)) return false
  if (ids.length === before.size) return ids.every((id) => before.has(id))
  const { fixed, broken, flapping } = later.ledger.counts
  return fixed + broken + flapping === 0 && [...before].every((id) => ids.includes(id))
}

/** The iterations that guards may hold against the agent, the newest last: those since a person last stepped in. */
export function freshIterations({ recent, measures: { since } }: State): readonly IterationSummary[] {
  return recent.filter(({ iteration }) => iteration > since)
}

/**
 * Whether the agent left every file as it was in an attempt. Where nobody could look at its files, no file is known to be changed but
 * the tree is another one: that is not nothing.
 */
export function isUntouched({ isReadOnly }: State, summary: IterationSummary): boolean {
  return summary.isUntouched === true && !isReadOnly
}
