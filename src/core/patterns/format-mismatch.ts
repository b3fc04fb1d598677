import type { Failure } from '../failure.ts'
import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
import { isUntouched } from '../is-untouched.ts'
import { shortened } from '../wording.ts'
import { evidenceOf } from './attempts.ts'
import { valueMismatch, type ValueMismatch } from './value-mismatch.ts'

/** A failure in which code and test disagree about a type or a format. */
export interface MismatchedFailure {
  readonly failure: Failure & { readonly expected: string; readonly received: string }
  readonly mismatch: ValueMismatch
}

/** Code and test disagree about a type or a format, in most of what fails or attempt after attempt. */
export function formatMismatch(state: State): Pattern | undefined {
  const found = mismatchedFailure(state)
  const { recent } = state
  const last = recent.at(-1)
  if (!found || !last) return undefined
  const { failure, mismatch } = found
  const { id } = failure
  const failed = recent.filter((iteration) => iteration.failures.some((each) => each.id === id))
  return {
    kind: 'format-mismatch',
    message: `Code and test disagree about ${subjectOf(mismatch)} in "${shortened(id, 100)}". ${mismatch.message}`,
    evidence: evidenceOf(failed, [id], failure.file === undefined ? [] : [failure.file]),
  }
}

function subjectOf({ difference }: ValueMismatch): string {
  if (difference === 'rounding') return 'rounding'
  return difference === 'type' ? 'a type' : 'a format'
}

/** The mismatch to tell of; `undefined` where it is only one of many failures and new, or there is none. */
export function mismatchedFailure({ recent }: State): MismatchedFailure | undefined {
  const failures = recent.at(-1)?.failures ?? []
  const mismatched = mismatchesIn(failures)
  const isHalf = mismatched.length * 2 >= failures.length
  const [first] = isHalf ? mismatched : mismatched.filter(({ failure }) => failedBefore(recent, failure.id))
  return first
}

/**
 * Whether the mismatch is what stands in the way: most of what fails is one, and the agent did its work. Who failed, ran out of time,
 * was denied what it needed, or changed nothing without a word would do so again, whichever side is said to be right.
 */
export function isAboutFormat(state: State): boolean {
  const last = state.recent.at(-1)
  if (!last || last.agentFailed) return false
  const isIdle = isUntouched(state, last) && (last.said === undefined || last.denied !== undefined)
  return !isIdle && mismatchesIn(last.failures).length * 2 > Math.max(last.failures.length, last.verdict.failing)
}

function mismatchesIn(failures: readonly Failure[]): readonly MismatchedFailure[] {
  return failures.map(mismatchIn).filter((found) => found !== undefined)
}

function mismatchIn(failure: Failure): MismatchedFailure | undefined {
  const { expected, received } = failure
  if (expected === undefined || received === undefined) return undefined
  const mismatch = valueMismatch(expected, received)
  return mismatch && { failure: { ...failure, expected, received }, mismatch }
}

function failedBefore(recent: State['recent'], id: string): boolean {
  return recent.at(-2)?.failures.some((failure) => failure.id === id) ?? false
}
