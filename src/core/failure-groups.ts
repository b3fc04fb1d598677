import type { Failure } from './failure.ts'
import { placeOf } from './failure-item.ts'
import { failureRank } from './failure-rank.ts'
import { plainMessage } from './measures/fingerprint.ts'

/** Failures with one cause, as far as it shows: the first stands for all. */
export interface FailureGroup {
  readonly first: Failure
  readonly others: readonly Failure[]
}

/**
 * Puts together what says the same (numbers that differ from run to run left out) and what fails at the same line of the user's
 * own code, and ranks: the most severe first, among equals in the order given.
 */
export function failureGroups(failures: readonly Failure[]): readonly FailureGroup[] {
  const [only] = failures
  if (only && failures.length === 1) return [{ first: only, others: [] }]
  const groups: Failure[][] = []
  const byKey = new Map<string, Failure[]>()
  for (const failure of failures.toSorted((one, other) => failureRank(one) - failureRank(other))) {
    const keys = keysOf(failure)
    const found = keys.map((key) => byKey.get(key)).find((group) => group !== undefined)
    const group = found ?? []
    group.push(failure)
    if (!found) groups.push(group)
    for (const key of keys) if (!byKey.has(key)) byKey.set(key, group)
  }
  return groups.flatMap(([first, ...others]) => (first ? [{ first, others }] : []))
}

/** What a failure is alike by. Two notes of a reviewer at one line are two notes. */
function keysOf(failure: Failure): readonly string[] {
  const kind = `${failure.kind} ${failure.severity ?? ''}`
  const same = `says ${kind} ${plainMessage(failure)} ${failure.expected ?? ''} ${failure.received ?? ''}`
  const place = failure.frame ?? (failure.line === undefined ? undefined : placeOf(failure))
  return failure.kind === 'review' || place === undefined ? [same] : [same, `at ${kind} ${place}`]
}
