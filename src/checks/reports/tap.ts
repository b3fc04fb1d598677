import type { ReportParser } from '../check.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { readTap, type TapDocument } from './tap-document.ts'
import { tapJoined } from './tap-joined.ts'
import { tapPruned } from './tap-pruned.ts'
import { isCut, sum } from './text-blocks.ts'

/**
 * TAP, as node:test, vitest, mocha, tap and tape print it. Only leaves count: a suite that failed because a test in it did is no
 * failure of its own. Ids are the names from the outermost suite to the test, joined with ' > '. Several documents after each
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

/** `prove --verbose` closes each file's points with a bare `ok` of its own, which is no test. */
function withoutProve(text: string): string {
  return /^Files=\d+, Tests=\d+,/m.test(text) ? text.replaceAll(/^ok[ \t]*$/gm, '') : text
}

/**
 * A version line begins a document; without one there must be both a plan and a test point, for `1..2` alone may stand in any
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
  // mocha numbers a failed hook like the test before it, which breaks nothing.
  const telling = errors.find((each) => builder.counts().failed === 0 || !each.endsWith('appears multiple times'))
  const error = telling ?? (/^1\.\.\d/m.test(document) ? undefined : 'no plan')
  if (error === undefined) return
  const message = `The tests did not keep to their plan: ${error}.`
  builder.doubt(message)
  builder.fail('TAP plan', () => ({ kind: 'unknown', message }))
}

/**
 * The closing comments of node:test and tape know of the tests that stood where the output was cut. Without them nobody does.
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
