import { filesIn } from '../files-in.ts'
import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
import { counted } from '../wording.ts'
import { evidenceOf, failingIds, hasSameTests, lastAlike } from './attempts.ts'

/** The same tests failed at least twice in a row, but not with the same messages. */
export function sameTestsOtherMessage({ recent }: State): Pattern | undefined {
  const same = lastAlike(recent, hasSameTests)
  const last = same.at(-1)
  if (!last || same.length < 2) return undefined
  const ids = failingIds(last)
  const isReview = last.failures.every((failure) => failure.kind === 'review')
  const which = ids.length === 1 ? 'test fails' : `${counted(ids.length, 'test')} fail`
  const message = isReview
    ? `A review rejected each of the last ${same.length} attempts, each time for something else.`
    : `The same ${which} after each of the last ${same.length} attempts, with another message: the work moves, but something else stops it.`
  return { kind: 'same-tests-other-message', message, evidence: evidenceOf(same, ids, filesIn(same)) }
}
