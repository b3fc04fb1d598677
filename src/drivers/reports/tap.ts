import { Parser, type FinalResults, type Result } from 'tap-parser'
import type { Failure } from '../../core/failure.ts'
import type { Report, ReportParser } from '../../ports/check.ts'
import { tapFailure } from './tap-failure.ts'
import { isCut } from './text-blocks.ts'

/**
 * TAP, as node:test, vitest, tap and tape print it. Only leaves count: a suite that failed because a test in it did is no
 * failure of its own. Ids are the names from the outermost suite to the test, joined with ' > '. Several documents after each
 * other (workspaces) are added up.
 */
export const tap: ReportParser = (output) => {
  const documents = documentsIn(output)
  if (documents.length === 0) return undefined
  try {
    // Our own cut in the middle of a long output breaks a plan that was right.
    const isWhole = !isCut(output)
    return documents.map((document) => readDocument(document, isWhole)).reduce(added)
  } catch {
    // tap-parser met something it was not written for. Then this is not TAP as we know it, and the next parser is asked.
    return undefined
  }
}

/**
 * A version line begins a document; without one there must be both a plan and a test point, for `1..2` alone may stand in any
 * text.
 */
function documentsIn(output: string): readonly string[] {
  const parts = output.split(/^(?=TAP version 1[34]\s*$)/m).filter((part) => part.startsWith('TAP version'))
  if (parts.length > 0) return parts
  return /^1\.\.\d+(?:\s|$)/m.test(output) && /^(?:not )?ok\b/m.test(output) ? [output] : []
}

interface Reading {
  passed: number
  skipped: number
  readonly failures: Failure[]
  /** Comment lines since the last test at the top: what a file printed that broke before its tests began. */
  comments: string[]
}

function readDocument(document: string, isWhole: boolean): Report {
  const reading: Reading = { passed: 0, skipped: 0, failures: [], comments: [] }
  let results: FinalResults | undefined
  const parser = new Parser((final) => {
    results = final
  })
  parser.on('comment', (comment: string) => reading.comments.push(comment.replace(/^# ?/, '').trimEnd()))
  readTests(parser, reading)
  parser.end(document)
  const { passed, skipped, failures } = reading
  const broken = results === undefined ? [] : brokenRules(results, isWhole)
  const failed = failures.length + broken.length
  return {
    format: 'tap',
    // The closing comments of node:test know of failures that stood where the output was cut.
    counts: { passed, failed: failed === 0 ? closingFailures(document) : failed, skipped },
    failures: [...failures, ...broken],
  }
}

/** A suite's own point comes after its tests; what failed since its first test failed within it. */
function readTests(parser: Parser, reading: Reading): void {
  let failuresBefore = reading.failures.length
  parser.on('child', (child: Parser) => {
    failuresBefore = reading.failures.length
    readTests(child, reading)
  })
  parser.on('assert', (result: Result) => {
    const hasFailedLeaves = result.closingTestPoint && reading.failures.length > failuresBefore
    // What fails inside a suite that is marked as to do is to do as well.
    if (hasFailedLeaves && result.todo !== false) reading.failures.length = failuresBefore
    failuresBefore = reading.failures.length
    record(result, hasFailedLeaves, reading)
  })
}

function record(result: Result, hasFailedLeaves: boolean, reading: Reading): void {
  const { comments } = reading
  reading.comments = []
  if (result.skip !== false || result.todo !== false) {
    if (!result.closingTestPoint) reading.skipped += 1
    return
  }
  if (result.ok) {
    if (!result.closingTestPoint) reading.passed += 1
    return
  }
  const failureType: unknown = result.diag?.failureType
  const isOwn = !hasFailedLeaves || (failureType !== undefined && failureType !== 'subtestsFailed')
  if (isOwn) reading.failures.push(tapFailure(result, comments))
}

/** A test too few or too many for the plan, no plan at all, a bail out: the run did not come to its end. */
function brokenRules(results: FinalResults, isWhole: boolean): readonly Failure[] {
  if (results.bailout !== false) {
    return [
      { id: 'Bail out', kind: 'unknown', message: typeof results.bailout === 'string' ? results.bailout : 'The tests gave up.' },
    ]
  }
  if (!isWhole) return []
  const errors = results.failures.flatMap((failure) => (typeof failure.tapError === 'string' ? [failure.tapError] : []))
  return errors
    .slice(0, 1)
    .map((error) => ({ id: 'TAP plan', kind: 'unknown', message: `The tests did not keep to their plan: ${error}.` }))
}

function closingFailures(document: string): number {
  const numbers = [...document.matchAll(/^# (?:fail|cancelled) (\d+)$/gm)].map((match) => Number(match[1]))
  return numbers.reduce((sum, each) => sum + each, 0)
}

function added(first: Report, second: Report): Report {
  const { counts: a } = first
  const { counts: b } = second
  const counts = { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
  return { format: first.format, counts, failures: [...first.failures, ...second.failures] }
}
