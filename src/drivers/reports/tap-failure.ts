import { inspect } from 'node:util'
import type { Result } from 'tap-parser'
import type { Failure, FailureKind } from '../../core/failure.ts'
import { sourceLocation, type SourceLocation } from './source-location.ts'
import { failureKind } from './test-failure.ts'
import { tellingLines } from './general.ts'

/** The YAML block under a failed test point, as far as its writers agree. */
interface Diagnostics {
  readonly error?: unknown
  readonly message?: unknown
  readonly name?: unknown
  readonly code?: unknown
  readonly failureType?: unknown
  readonly exitCode?: unknown
  readonly operator?: unknown
  readonly expected?: unknown
  readonly actual?: unknown
  readonly stack?: unknown
  readonly at?: unknown
  readonly location?: unknown
}

/** A failure from a failed test point; `comments` is what was printed just before it. */
export function tapFailure(result: Result, comments: readonly string[]): Failure {
  const diagnostics: Diagnostics = typeof result.diag === 'object' && result.diag !== null ? result.diag : {}
  const message = messageOf(diagnostics, comments)
  return {
    id: result.fullname === '' ? result.name || 'unnamed test' : result.fullname,
    message,
    kind: kindOf(diagnostics, message),
    ...locationOf(diagnostics),
    ...pairOf(diagnostics),
  }
}

function messageOf({ error, message, exitCode }: Diagnostics, comments: readonly string[]): string {
  const nested = isRecord(error) ? error['message'] : undefined
  const text = [nested, error, message].find((each) => typeof each === 'string' && each.trim() !== '')
  const said = typeof text === 'string' ? text.trim() : 'The test failed.'
  // node:test says only "test failed" of a file that broke before its tests began; the reason is what the file printed.
  return typeof exitCode === 'number' && comments.length > 0 ? `${said}\n${tellingLines(comments.join('\n'))}` : said
}

function kindOf({ failureType, code, name, operator, error }: Diagnostics, message: string): FailureKind {
  if (failureType === 'testTimeoutFailure') return 'timeout'
  const errorName = isRecord(error) ? error['name'] : name
  if (code === 'ERR_ASSERTION' || errorName === 'AssertionError' || typeof operator === 'string') return 'assertion'
  const kind = failureKind(message)
  return kind === 'unknown' && typeof errorName === 'string' ? 'exception' : kind
}

/** The frame of the user's own code says more than where the test begins. */
function locationOf({ stack, at, location }: Diagnostics): SourceLocation | undefined {
  for (const each of [stack, at, location]) {
    const found = typeof each === 'string' ? sourceLocation(each) : placeIn(each)
    if (found !== undefined) return found
  }
  return undefined
}

/** node-tap writes the place as an object. */
function placeIn(at: unknown): SourceLocation | undefined {
  if (!isRecord(at)) return undefined
  const file = at['fileName'] ?? at['file']
  const line = at['lineNumber'] ?? at['line']
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined
}

function pairOf({ expected, actual, operator, error }: Diagnostics): { expected?: string; received?: string } {
  // Node writes a regular expression, which YAML lacks, as nothing.
  const isMatch = operator === 'match' || operator === 'doesNotMatch'
  // vitest has written the values out as source text already; elsewhere "42" and 42 must stay apart.
  const shown = (value: unknown) =>
    isRecord(error) && typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100, sorted: true })
  return {
    ...(expected !== undefined && !(isMatch && expected === null) && { expected: shown(expected) }),
    ...(actual !== undefined && { received: shown(actual) }),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
