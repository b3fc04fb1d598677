import type { Result } from 'tap-parser'
import type { Failure, FailureKind } from '../../core/failure.ts'
import { expectedReceived } from './expected-received.ts'
import { tellingLines } from './general.ts'
import { ownFrame } from './own-frame.ts'
import { shownValue } from './shown-value.ts'
import { sourceLocation, type SourceLocation } from './source-location.ts'
import { failureKind, testFailure } from './test-failure.ts'

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
  /** node-tap: the values, how they were compared, their difference, the class of an error, the test that ran out of time. */
  readonly wanted?: unknown
  readonly found?: unknown
  readonly compare?: unknown
  readonly diff?: unknown
  readonly type?: unknown
  readonly expired?: unknown
}

/**
 * A failure from a failed test point; `comments` is what was printed just before it, `extra` the lines under it that are no TAP,
 * which tell the reason where there are no diagnostics.
 */
export function tapFailure(id: string, result: Result, comments: readonly string[], extra: readonly string[]): Failure {
  if (extra.length > 0) return testFailure(id, withoutRepetition(extra))
  const diagnostics: Diagnostics = typeof result.diag === 'object' && result.diag !== null ? result.diag : {}
  const message = messageOf(diagnostics, result.name, comments)
  return {
    id,
    message,
    kind: kindOf(diagnostics, message),
    ...locationOf(diagnostics),
    ...pairOf(diagnostics),
  }
}

/** mocha writes the message, then the stack, which begins with the message again and the error's name before it. */
function withoutRepetition(lines: readonly string[]): string {
  const message = lines.find((line) => line.trim() !== '')?.trim() ?? ''
  const again = lines.findIndex((line) => /^\s*\w*Error(?: \[\w+\])?: /.test(line) && line.endsWith(message))
  return lines.slice(Math.max(again, 0)).join('\n')
}

function messageOf(diagnostics: Diagnostics, name: string, comments: readonly string[]): string {
  const { error, message, exitCode, stack, operator, compare, diff, type, expired } = diagnostics
  const nested = isRecord(error) ? error['message'] : undefined
  // tape and node-tap have the reason only in the stack, or in the name of the assertion.
  const thrown = typeof stack === 'string' ? /^\w*Error: (.+)/.exec(stack)?.[1] : undefined
  const named =
    [operator, compare, diff, expired].some((each) => typeof each === 'string') || isErrorName(type) ? name : undefined
  const text = [nested, error, message, thrown, named].find((each) => typeof each === 'string' && each.trim() !== '')
  const said = typeof text === 'string' ? text.trim() : 'The test failed.'
  // node:test says only "test failed" of a file that broke before its tests began; the reason is what the file printed.
  return typeof exitCode === 'number' && comments.length > 0 ? `${said}\n${tellingLines(comments.join('\n'))}` : said
}

function kindOf(diagnostics: Diagnostics, message: string): FailureKind {
  const { failureType, code, name, operator, error, compare, diff, type, expired } = diagnostics
  if (failureType === 'testTimeoutFailure' || typeof expired === 'string') return 'timeout'
  const errorName = isRecord(error) ? error['name'] : isErrorName(type) ? type : name
  if (/\btimed out after \d+ ?ms$/.test(message)) return 'timeout'
  if (
    code === 'ERR_ASSERTION' ||
    errorName === 'AssertionError' ||
    [operator, compare, diff].some((each) => typeof each === 'string')
  ) {
    return 'assertion'
  }
  const kind = failureKind(message)
  const hasThrown = typeof errorName === 'string' || THROWN.has(failureType)
  return kind === 'unknown' && hasThrown ? 'exception' : kind
}

/** What node:test calls an error that is none of its own. */
const THROWN = new Set<unknown>(['testCodeFailure', 'hookFailed', 'uncaughtException', 'unhandledRejection'])

/** The frame of the user's own code says more than where the test begins. */
function locationOf({ stack, at, location }: Diagnostics): SourceLocation | undefined {
  for (const each of [stack, at]) {
    const frame = typeof each === 'string' ? ownFrame(each, { isBare: true }) : undefined
    if (frame !== undefined) return frame
  }
  for (const each of [at, stack, location]) {
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

function pairOf(diagnostics: Diagnostics): { expected?: string; received?: string } {
  const { operator, error, diff, expected = diagnostics.wanted, actual = diagnostics.found } = diagnostics
  if (typeof diff === 'string') return expectedReceived(diff) ?? {}
  // Node writes a regular expression, which YAML lacks, as nothing.
  const isMatch = operator === 'match' || operator === 'doesNotMatch'
  // vitest has written the values out as source text already, tape those that are no plain ones; elsewhere "42" and 42 must stay
  // apart.
  const isWritten = (value: unknown) => typeof value === 'string' && (isRecord(error) || /^[[{]|^undefined$/.test(value))
  const shown = (value: unknown) => (isWritten(value) ? (value as string) : shownValue(asList(value)))
  return {
    ...(expected !== undefined && !(isMatch && expected === null) && { expected: shown(expected) }),
    ...(actual !== undefined && { received: shown(actual) }),
  }
}

/** node:test writes a list as an object with the keys 0, 1, 2 … */
function asList(value: unknown): unknown {
  if (!isRecord(value) || Array.isArray(value)) return value
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : value
}

/** node:test says `test` or `suite` there. */
function isErrorName(type: unknown): type is string {
  return typeof type === 'string' && /^[A-Z]\w*Error$|^Error$/.test(type)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
