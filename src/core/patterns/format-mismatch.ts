import type { Failure } from '../failure.ts'
import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
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

/** The mismatch to ask about; `undefined` where it is only one of many failures and new, or there is none. */
export function mismatchedFailure({ recent }: State): MismatchedFailure | undefined {
  const failures = recent.at(-1)?.failures ?? []
  const mismatched = failures.map(mismatchIn).filter((found) => found !== undefined)
  const isMost = mismatched.length * 2 >= failures.length
  const [first] = isMost ? mismatched : mismatched.filter(({ failure }) => failedBefore(recent, failure.id))
  return first
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
