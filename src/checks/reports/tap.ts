import type { ReportParser } from '../check.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { isCut, plainText, sum, textBlocks } from './report-text.ts'
import { readTap, type TapDocument } from './tap-document.ts'
import { testFailure } from './test-failure.ts'

/**
 * TAP, as node:test, vitest, mocha, tap and tape print it. Only leaves count: a suite that failed because a test in it did is no
 * separate failure. Ids are the names from the outermost suite to the test, joined with ' > '. Several documents after each
 * other (workspaces) are added up.
 *
 * @part tap
 */
export const tap: ReportParser = (output) => {
  const text = withoutProve(withQuotedMarks(plainText(output)))
  const documents = documentsIn(text)
  if (documents.length === 0) return undefined
  const builder = reportBuilder('tap')
  try {
    // Our own cut in the middle of a long output breaks a plan that was right.
    const isWhole = !isCut(text)
    for (const document of documents) addDocument(readTap(tapPruned(tapJoined(document))), document, isWhole, builder)
    return isWhole ? builder.report({ hasAllTests: true }) : cutReport(text, builder)
  } catch {
    // tap-parser met something it was not written for. Then this is not TAP as we know it, and the next parser is asked.
    return undefined
  }
}

/** In the YAML of a test point a value that begins with the mark of a secret would be a list. */
function withQuotedMarks(text: string): string {
  if (!text.includes(': [redacted: ')) return text
  return text.replaceAll(/^( +\w+: )(\[redacted: .*)$/gm, (_, name: string, value: string) => `${name}${JSON.stringify(value)}`)
}

/** `prove --verbose` closes each file's points with a bare `ok`, which is no test. */
function withoutProve(text: string): string {
  return /^Files=\d+, Tests=\d+,/m.test(text) ? text.replaceAll(/^ok[ \t]*$/gm, '') : text
}

/**
 * A version line begins a document; without one there must be both a plan and a test point, for `1..2` alone may be in any
 * text.
 */
function documentsIn(text: string): readonly string[] {
  const starts = Array.from(text.matchAll(/^TAP version 1[34][ \t]*$/gm), (match) => match.index)
  if (starts.length > 0) return starts.flatMap((start, index) => splitAtPlans(text.slice(start, starts[index + 1])))
  return /^1\.\.\d+(?:\s|$)/m.test(text) && /^(?:not )?ok\b/m.test(text) ? splitAtPlans(text) : []
}

/** Where the numbers begin again after a plan, another document begins, though it has no version line: the parser would pass it over. */
function splitAtPlans(text: string): readonly string[] {
  const starts = [0]
  let plans = 0
  let points = 0
  let isLeading = false
  let boundary: number | undefined
  for (const match of text.matchAll(/^(?:1\.\.\d+|(?:not )?ok (\d+))(?!\S).*$/gm)) {
    if (match[1] === undefined) {
      plans += 1
      // After the points it is theirs, unless they had one before them: then it is the next document's.
      isLeading = plans > 1
      if (points > 0) boundary = isLeading ? match.index : match.index + match[0].length
    } else if (match[1] === '1' && boundary !== undefined) {
      starts.push(boundary)
      plans = isLeading ? 1 : 0
      points = 1
      boundary = undefined
    } else points += 1
  }
  return starts.map((start, index) => text.slice(start, starts[index + 1]))
}

function addDocument({ tests, results }: TapDocument, document: string, isWhole: boolean, builder: ReportBuilder): void {
  for (const { id, outcome, failure } of tests) {
    if (outcome !== 'failed') builder.add(outcome, id)
    else builder.fail(id, () => failure ?? { message: 'The test failed.', kind: 'unknown' })
  }
  if (results !== undefined && results.bailout !== false) {
    const message = typeof results.bailout === 'string' ? results.bailout : 'The tests gave up.'
    builder.fail('Bail out', () => ({ kind: 'unknown', message }))
  } else if (isWhole) addBrokenPlan(results, document, builder)
}

/** A test too few or too many for the plan, or no plan at all: the run did not come to its end. */
function addBrokenPlan(results: TapDocument['results'], document: string, builder: ReportBuilder): void {
  const errors = results?.failures.flatMap((failure) => (typeof failure.tapError === 'string' ? [failure.tapError] : [])) ?? []
  // tap-parser makes up a plan where a document has none and no test either.
  // mocha numbers a failed hook like the test before it, and Node 20 numbers a file without tests like the last test. Too many or too
  // few for the plan is its own error.
  const telling = errors.find((each) => !each.endsWith('appears multiple times'))
  const error = telling ?? (/^1\.\.\d/m.test(document) ? undefined : 'no plan')
  if (error === undefined) return
  const message = `The tests did not keep to their plan: ${error}.`
  builder.doubt(message)
  builder.fail('TAP plan', () => ({ kind: 'unknown', message }))
}

/**
 * The closing comments of node:test and tape count the tests in the part that was cut out. Without them nobody knows.
 * The list is not whole in either case.
 */
function cutReport(text: string, builder: ReportBuilder) {
  const numbers = (words: string) =>
    Array.from(text.matchAll(new RegExp(`^# (?:${words}) +(\\d{1,9})$`, 'gm')), (match) => match[1])
  const [passed, failed] = [numbers('pass'), numbers('fail|cancelled')]
  if (passed.length === 0 || failed.length === 0) {
    builder.doubt('The middle of the output is left out, and no closing comments count the tests.')
    return builder.report()
  }
  return builder.report({ counts: { passed: sum(passed), failed: sum(failed), skipped: sum(numbers('skipped|todo')) } })
}

/**
 * A TAP text without the YAML blocks under test points that passed: they say how long a test took, and reading them is most of
 * what reading TAP costs. A block before a buffered subtest stays, for the parser knows such a subtest by it.
 */
function tapPruned(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at)
    const indent = indentOf(text, at)
    const after = text.startsWith('ok ', at + indent) ? blockEnd(text, end, indent) : undefined
    if (after !== undefined) {
      kept.push(text.slice(from, end))
      from = after
    }
    at = after ?? end
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from)
}

/** Where the block ends that begins at `at`; `undefined` if there is none that may go. Only short ones are looked for. */
function blockEnd(text: string, at: number, outerIndent: number): number | undefined {
  const indent = indentOf(text, at)
  if (indent <= outerIndent || !text.startsWith('---\n', at + indent)) return undefined
  let next = lineEnd(text, at)
  for (let lines = 0; lines < LINES_MAX && next < text.length; lines += 1) {
    const lineIndent = indentOf(text, next)
    if (lineIndent < indent) return undefined
    const end = lineEnd(text, next)
    if (lineIndent === indent && text.startsWith('...\n', next + indent)) {
      return text.startsWith('{', end + outerIndent) ? undefined : end
    }
    next = end
  }
  return undefined
}

const LINES_MAX = 50

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function indentOf(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === 32) end += 1
  return end - at
}

/**
 * vitest writes values of several lines into its YAML without indenting them, which no parser reads as YAML. Here they become one
 * line each. A text of another writer comes back as it is.
 */
function tapJoined(text: string): string {
  if (!/^ +error:\n +name: "/m.test(text)) return text
  return text.replaceAll(QUOTED, (scalar) => scalar.replaceAll('\n', String.raw`\n`))
}

const QUOTED = /^ +(?:message|actual|expected): "[^"\\]*(?:\\.[^"\\]*)*"$/gm

/** prove's own summary of the TAP that it has read: files, not tests, by name. A file that broke without a failed test is a failure. */
export const proveText: ReportParser = (text) => {
  const closings = [...text.matchAll(/^Files=\d+, Tests=(\d{1,9}), .*\nResult: (?:PASS|FAIL|NOTESTS)$/gm)]
  if (closings.length === 0) return undefined
  const builder = reportBuilder('tap')
  let unsuccessful = 0
  for (const { heading, text: block } of textBlocks(text, /^(\S.* \(Wstat: .* Tests: \d+ Failed: \d+\))$/, /^\S/)) {
    const [, id = heading, failed = '0'] = /^(\S.*?) +\(Wstat: .* Failed: (\d{1,9})\)$/.exec(heading) ?? []
    unsuccessful += Number(failed)
    if (block.trim() !== '' && !TODO_PASSED.test(block)) builder.fail(id, () => testFailure(id, block, { file: id }))
  }
  const tests = sum(closings.map((closing) => closing[1]))
  const failed = Math.max(unsuccessful, builder.counts().failed, closings.some(([said]) => said.endsWith('FAIL')) ? 1 : 0)
  return builder.report({ counts: { passed: Math.max(0, tests - unsuccessful), failed, skipped: 0 } })
}

/** To-do tests that pass already are in the summary, too, and break nothing. */
const TODO_PASSED = /^\s*TODO passed: .*\s*$/
