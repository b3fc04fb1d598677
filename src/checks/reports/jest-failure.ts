import type { Failure } from '../../core/failure.ts'
import { failureKind, testFailure } from './test-failure.ts'

/**
 * A failure from jest's words. Where jest could not read a file it first gives advice, and the reason under `Details:`. What is no
 * assertion is an exception: the code frame under it speaks of `expect` all the same.
 */
export function jestFailure(id: string, text: string, file: string | undefined): Failure {
  const details = text.indexOf('\n    Details:\n')
  const reason = details < 0 ? text : text.slice(details + DETAILS_LENGTH)
  const failure = testFailure(id, reason)
  const kind = failureKind(failure.message)
  // `SyntaxError: a.test.js: Unexpected token (2:8)`
  const line = /\((\d{1,7}):\d+\)$/m.exec(failure.message)?.[1]
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line: Number(line) }),
    ...failure,
    kind: kind === 'unknown' ? 'exception' : kind,
  }
}

const DETAILS_LENGTH = '\n    Details:\n'.length
