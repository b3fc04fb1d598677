import { type FinalResults, Parser, type Result } from 'tap-parser'
import type { Failure, FailureKind, TestOutcome } from '../../core/failure.ts'
import { tellingLines } from './general.ts'
import { ownFrame, sourceLocation, type SourceLocation } from './stack-frame.ts'
import { expectedReceived, failureKind, shownValue, testFailure } from './test-failure.ts'

/** One test point that is a leaf, or a suite that failed by itself. */
interface TapTest {
  readonly id: string
  outcome: TestOutcome
  /** Of the first thousand that failed. */
  failure?: Failure
}

export interface TapDocument {
  readonly tests: readonly TapTest[]
  /** What tap-parser says of the whole. */
  readonly results: FinalResults | undefined
}

/** Reads one TAP document with tap-parser. */
export function readTap(document: string): TapDocument {
  const reading: Reading = { tests: [], failed: 0, comments: [], untold: undefined, extra: [], heading: '' }
  // tape numbers assertions, without a dash, and names the test above them in a comment.
  const isTape = /^(?:not )?ok \d+ (?!- )/m.test(document) && !document.includes('# Subtest')
  let results: FinalResults | undefined
  const parser = new Parser((final) => {
    results = final
  })
  parser.on('comment', (comment: string) => {
    const text = comment.replace(/^# ?/, '').trimEnd()
    keep(reading.comments, text)
    if (isTape) reading.heading = text.replace(/^(?:TODO|SKIP) /, '')
  })
  parser.on('extra', (line: string) => {
    if (reading.untold !== undefined) keep(reading.extra, line.trimEnd())
  })
  readTests(parser, reading)
  parser.end(document)
  tellUntold(reading)
  return { tests: reading.tests, results }
}

interface Reading {
  readonly tests: TapTest[]
  failed: number
  /** Comment lines since the last test at the top: what a file printed that broke before its tests began. */
  comments: string[]
  /** The last test, if it failed without diagnostics; mocha writes the reason as plain lines under it. */
  untold: { readonly test: TapTest; readonly result: Result } | undefined
  extra: string[]
  /** The suite's name if only comments have it. */
  heading: string
}

const FAILURES_READ_MAX = 1000
const LINES_MAX = 200

function keep(lines: string[], line: string): void {
  if (lines.length < LINES_MAX) lines.push(line)
}

/** A suite's own point comes after its tests; what failed since its first test failed within it. */
function readTests(parser: Parser, reading: Reading): void {
  let testsBefore = 0
  let failedBefore = 0
  const remember = () => {
    testsBefore = reading.tests.length
    failedBefore = reading.failed
  }
  remember()
  parser.on('child', (child: Parser) => {
    remember()
    readTests(child, reading)
  })
  parser.on('assert', (result: Result) => {
    const hasFailedLeaves = result.closingTestPoint && reading.failed > failedBefore
    // What fails inside a suite that is marked as to do is to do as well.
    if (hasFailedLeaves && result.todo !== false) skipFrom(reading, testsBefore)
    record(result, hasFailedLeaves, reading)
    remember()
  })
}

function skipFrom(reading: Reading, index: number): void {
  for (const test of reading.tests.slice(index)) {
    if (test.outcome !== 'failed') continue
    test.outcome = 'skipped'
    reading.failed -= 1
  }
}

function record(result: Result, hasFailedLeaves: boolean, reading: Reading): void {
  tellUntold(reading)
  const { comments } = reading
  reading.comments = []
  const name = nameOf(result)
  const id = reading.heading === '' ? name : `${reading.heading} > ${name}`
  const isSkipped = result.skip !== false || result.todo !== false
  if (isSkipped || result.ok) {
    if (!result.closingTestPoint) reading.tests.push({ id, outcome: isSkipped ? 'skipped' : 'passed' })
    return
  }
  const failureType: unknown = result.diag?.failureType
  const isOwn = !hasFailedLeaves || (failureType !== undefined && failureType !== 'subtestsFailed')
  if (!isOwn) return
  const test: TapTest = { id, outcome: 'failed' }
  reading.tests.push(test)
  reading.failed += 1
  if (reading.failed > FAILURES_READ_MAX) return
  if (result.diag === null) reading.untold = { test, result }
  else test.failure = tapFailure(id, result, comments, [])
}

/** What a test threw is its own point in node-tap, called like the error: then the test is meant. */
function nameOf({ fullname, name, diag }: Result): string {
  const isError = diag?.tapCaught !== undefined || diag?.expired !== undefined
  const suite = isError ? fullname.slice(0, Math.max(0, fullname.length - name.length)).replace(/ > $/, '') : ''
  return suite || fullname || name || 'unnamed test'
}

function tellUntold(reading: Reading): void {
  const { untold, extra } = reading
  reading.untold = undefined
  reading.extra = []
  if (untold !== undefined) untold.test.failure = tapFailure(untold.test.id, untold.result, [], extra)
}

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
 * which give the reason if there are no diagnostics.
 */
function tapFailure(id: string, result: Result, comments: readonly string[], extra: readonly string[]): Failure {
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

/** What node:test calls an error that isn't its own. */
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
