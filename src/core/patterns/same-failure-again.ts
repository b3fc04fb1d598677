import { filesIn } from '../files-in.ts'
import type { Pattern } from '../pattern.ts'
import { failureFingerprint } from '../measures/fingerprint.ts'
import type { IterationSummary, State } from '../state.ts'
import { evidenceOf, failingIds, hasSameTests, lastAlike } from './attempts.ts'

/** The same tests failed with the same messages, at least twice in a row. */
export function sameFailureAgain({ recent }: State): Pattern | undefined {
  const same = lastAlike(recent, isSameFailure)
  const last = same.at(-1)
  if (!last || same.length < 2) return undefined
  const message = `The same failure after each of the last ${same.length} attempts.`
  return { kind: 'same-failure', message, evidence: evidenceOf(same, failingIds(last), filesIn(same)) }
}

/** The same tests and the same messages, what differs from run to run left out. */
function isSameFailure(later: IterationSummary, earlier: IterationSummary): boolean {
  // Of whole lists the fingerprint says it at once; where messages differ, or lists were cut, the rest has to be looked at.
  if (later.fingerprint === earlier.fingerprint && later.failures.length > 0) return true
  if (!hasSameTests(later, earlier)) return false
  const ids = new Set(failingIds(earlier))
  const known = later.failures.filter((failure) => ids.has(failure.id))
  return failureFingerprint(known) === failureFingerprint(earlier.failures)
}
