import type { Failure } from '../failure.ts'
import type { Pattern } from '../pattern.ts'
import type { IterationSummary } from '../state.ts'

/** The last attempts that `holds` is true of, the newest last: a pattern is about what goes on now. */
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

/** What shows a pattern. */
export function evidenceOf(
  iterations: readonly IterationSummary[],
  tests: readonly string[] = [],
  files: readonly string[] = [],
): Pattern['evidence'] {
  return {
    iterations: iterations.map(({ iteration }) => iteration),
    tests: unlike(tests).slice(0, TESTS_NAMED_MAX),
    files: unlike(files),
  }
}

const TESTS_NAMED_MAX = 10

/** The names of what failed. */
export function failingIds({ failures }: IterationSummary): readonly string[] {
  return unlike(failures.map((failure: Failure) => failure.id))
}

/** Each name once. */
function unlike(names: readonly string[]): readonly string[] {
  return names.length < 2 ? names : [...new Set(names)]
}

/** Whether the same tests failed. Of long lists earlier attempts remember only the beginning, so there the ledger says it. */
export function hasSameTests(later: IterationSummary, earlier: IterationSummary): boolean {
  if (later.failures.length === 0 || earlier.failures.length === 0) return false
  if (later.verdict.failing !== earlier.verdict.failing) return false
  const ids = failingIds(later)
  const before = new Set(failingIds(earlier))
  if (ids.length === before.size) return ids.every((id) => before.has(id))
  const { fixed, broken, flapping } = later.ledger.counts
  return fixed + broken + flapping === 0 && [...before].every((id) => ids.includes(id))
}

/** "every time" or "in each of the last 3 attempts". */
export function howOften(attempts: readonly unknown[], recent: readonly unknown[]): string {
  return attempts.length === recent.length ? 'every time' : `in each of the last ${attempts.length} attempts`
}
