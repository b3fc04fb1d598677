import type { Failure } from '../core/failure.ts'
import { valueMismatch, type ValueMismatch } from '../core/patterns/value-mismatch.ts'
import { type RightSide, ruledName, rulingsIn } from '../core/ruling.ts'

/** A test that fails because of a type or a format, of which a person has said which side is right. */
export interface RuledFailure {
  readonly failure: Failure
  readonly mismatch: ValueMismatch
  readonly right: RightSide
  /** The whole of both values, as they were printed. */
  readonly expected: string
  readonly received: string
}

/** The failures on which the brief has a person's word. Without one nobody knows which side is wrong, and none is tried. */
export function ruledFailures(brief: string, failures: readonly Failure[]): readonly RuledFailure[] {
  const rulings = rulingsIn(brief)
  return failures.flatMap((failure) => {
    const { id, expected, received } = failure
    const ruling = rulings.find(({ test }) => test === ruledName(id))
    const mismatch = expected === undefined || received === undefined ? undefined : valueMismatch(expected, received)
    if (!ruling || !mismatch || expected === undefined || received === undefined) return []
    return [{ failure, mismatch, right: ruling.right, expected, received }]
  })
}
