import type { Failure, TestCounts } from '../../core/failure.ts'
import type { RecordedIteration } from './recorded-loop.ts'

/** What the check of a recorded iteration reported. */
export interface RecordedCheck {
  readonly passed: boolean
  readonly failures: readonly Failure[]
  readonly counts?: TestCounts
}

/**
 * What a recorded iteration says about its check. One that neither passed nor failed and met with no error was not checked: there is
 * nothing then. A failure without a message is a failure with nothing to say: no two of them are the same.
 */
export function recordedCheck(iteration: RecordedIteration): RecordedCheck | undefined {
  const { passed, error, score } = iteration
  if (passed === true) return { passed, failures: [] }
  if (passed === null && !error) return undefined
  const failures = error ? failuresIn(error, iteration.error_sha) : []
  const counts = failures.every(({ kind }) => kind === 'assertion') ? countsOf(failures.length, score) : undefined
  return { passed: false, failures, ...(counts ? { counts } : {}) }
}

/** Whether nothing says how an iteration stood: it has neither a result, nor a score, nor an error. */
export function isUnknown(iteration: RecordedIteration): boolean {
  return iteration.score === null && recordedCheck(iteration) === undefined
}

function failuresIn(error: string, digest: string | undefined): readonly Failure[] {
  const blocks = error.split(/\n(?=assert )/)
  const isWhole = error.length < TEXT_LENGTH_MAX
  if (isWhole && blocks.every((block) => block.startsWith('assert ') && block.includes(OUTPUT))) return blocks.map(assertionOf)
  // Of a text that may have been cut, only the digest says whether it is the same.
  const message = isWhole || digest === undefined ? error : `${error} [${digest}]`
  return [{ id: CHECK_NAME, message, kind: 'unknown' }]
}

/** The name of the one check that a recorded loop has. */
export const CHECK_NAME = 'recorded'

/** Texts of this length and more may have been cut. */
const TEXT_LENGTH_MAX = 2000

/** `assert is_sorted([1, 2]) == False # Real Execution Output: True`, a line a failing test. */
const OUTPUT = ' # Real Execution Output:'

function assertionOf(block: string): Failure {
  const place = block.indexOf(OUTPUT)
  const id = block.slice(0, place)
  return { id, message: `${id}: got ${block.slice(place + OUTPUT.length).trim()}`, kind: 'assertion' }
}

/** Where the share of tests that pass is known, so is how many there are. */
function countsOf(failed: number, score: number | null): TestCounts | undefined {
  if (failed === 0 || score === null || score >= 1) return undefined
  return { failed, passed: Math.round((failed * score) / (1 - score)), skipped: 0 }
}
