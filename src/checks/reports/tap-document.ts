import { Parser, type FinalResults, type Result } from 'tap-parser'
import type { Failure, TestOutcome } from '../../core/failure.ts'
import { tapFailure } from './tap-failure.ts'

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
  /** The last test, where it failed without diagnostics; mocha writes the reason as plain lines under it. */
  untold: { readonly test: TapTest; readonly result: Result } | undefined
  extra: string[]
  /** The suite's name where comments are the only ones to tell it. */
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

/** What a test threw stands in node-tap as a point of its own, called like the error: then the test is meant. */
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
