import type { Failure, TestOutcome } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { count, linesOf, plainText, textBlocks } from './report-text.ts'
import { stackFrame } from './stack-frame.ts'
import { failureKind, pytestError, valuePair } from './test-failure.ts'

/**
 * pytest. Ids are its own (`test_login.py::TestLogin::test_a`), so that they can be given back to it. An error in a fixture or
 * while collecting is a failure too. With -v every test is listed.
 *
 * @part pytest
 */
export const pytestText: ReportParser = (output) => {
  const text = plainText(output)
  const closings = text.match(CLOSING)
  if (closings === null && !SESSION_START.test(text) && !FAILED_SUMMARY.test(text)) return undefined
  const builder = reportBuilder('pytest')
  const listed = listedTests(text)
  for (const [id, outcome] of listed) if (outcome !== 'failed') builder.add(outcome, id)
  const failures = failuresIn(text)
  for (const { id, section, short } of failures) builder.fail(id, () => failure(section, short))
  const named = new Set(failures.map(({ id }) => id))
  for (const [id, outcome] of listed) {
    if (outcome === 'failed' && !named.has(id)) builder.fail(id, () => ({ kind: 'unknown', message: 'It failed.' }))
  }
  const sessions = text.match(SESSION_STARTS)?.length ?? 0
  if (closings === null || closings.length < sessions)
    builder.doubt('The report of pytest is cut off: its closing line is missing.')
  if (closings === null) return builder.report({ hasAllTests: listed.size > 0 })
  const counts = countsIn(closings.join('\n'))
  const added = builder.counts()
  const hasAllTests = listed.size > 0 && added.passed >= counts.passed && added.skipped >= counts.skipped
  return builder.report({ hasAllTests, counts })
}

const SESSION_START = /^=+ test session starts =+$/m
/** All that -qq prints at the end. */
const FAILED_SUMMARY = /^=+ short test summary info =+\n(?:FAILED|ERROR) \S/m
const SESSION_STARTS = /^=+ test session starts =+$/gm
const CLOSING =
  /^(?:=+ )?(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|x?passed|xfailed|warnings?|rerun)(?:, \d+ \w+)*) in \d+(?:\.\d+)?s(?: \([\d:]+\))?(?: =+)?$/gm

function countsIn(closing: string) {
  return {
    passed: count(closing, 'passed') + count(closing, 'xpassed'),
    failed: count(closing, 'failed') + count(closing, 'errors?'),
    skipped: count(closing, 'skipped') + count(closing, 'xfailed'),
  }
}

/** `test_a.py::test_b PASSED [ 50%]`, and with xdist `[gw0] [ 50%] PASSED test_a.py::test_b`. A test may pass and then break. */
function listedTests(text: string): ReadonlyMap<string, TestOutcome> {
  const tests = new Map<string, TestOutcome>()
  for (const line of linesOf(text, 1000)) {
    if (!line.includes('::')) continue
    const match = / (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)(?: \(.*\))? *(?:\[ *\d+%\])?$/.exec(line)
    const spread = match === null ? /^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (\S.*)$/.exec(line) : null
    const [id, word] = spread === null ? [line.slice(0, match?.index), match?.[1]] : [spread[2]?.trim(), spread[1]]
    if (id === undefined || word === undefined || !/^\S.*::/.test(id) || /^(?:E|FAILED|ERROR) /.test(id)) continue
    if (tests.get(id) !== 'failed') tests.set(id, OUTCOMES[word] ?? 'failed')
  }
  return tests
}

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  PASSED: 'passed',
  XPASS: 'passed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
}

interface Found {
  readonly id: string
  readonly section: string
  readonly short: string
}

/**
 * The summary lists them with shortened messages; the sections above have the whole text under the last parts of the name. Tests
 * of one name in two files have sections of one name, in the same order.
 */
function failuresIn(text: string): readonly Found[] {
  const sections = new Map<string, string[]>()
  for (const { heading, text: section } of textBlocks(fromFirst(text, '\n___'), SECTION, /^={3,} /)) {
    const known = sections.get(heading)
    if (known === undefined) sections.set(heading, [section])
    else known.push(section)
  }
  const found: Found[] = []
  let isSummary = false
  for (const line of linesOf(fromFirst(text, ' short test summary info ='))) {
    if (line.includes(' short test summary info =')) isSummary = true
    else if (line.startsWith('====')) isSummary = SUMMARY.test(line)
    else if (isSummary && /^(?:FAILED|ERROR) \S/.test(line)) {
      const { id, short } = summaryOf(line.slice(line.indexOf(' ') + 1))
      const named = sections.get(id) ?? sections.get(headingOf(id))
      found.push({ id, section: (named !== undefined && named.length > 1 ? named.shift() : named?.[0]) ?? '', short })
    }
  }
  return found
}

/** What is before is long and has none of it. */
function fromFirst(text: string, sign: string): string {
  const at = text.indexOf(sign)
  return at < 0 ? '' : text.slice(at)
}

const SUMMARY = /^=+ short test summary info =+$/

/** `test_a.py::test_b[x - y] - the message`: a parameter may hold a dash too, so brackets are taken whole. */
function summaryOf(line: string): { readonly id: string; readonly short: string } {
  const bracket = line.indexOf('[')
  const dash = line.indexOf(' - ')
  const isInBrackets = bracket >= 0 && bracket < dash
  const end = isInBrackets ? line.indexOf('] - ', bracket) + 1 : dash
  return end <= 0 ? { id: line, short: '' } : { id: line.slice(0, end), short: line.slice(end + 3) }
}

/** `test_a.py::TestB::test_c[d::e]` is listed under `TestB.test_c[d::e]`. */
function headingOf(id: string): string {
  const bracket = id.indexOf('[')
  const name = bracket < 0 ? id : id.slice(0, bracket)
  return name.split('::').slice(1).join('.') + id.slice(name.length)
}

const SECTION = /^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(.+?) _{3,}$/

function failure(section: string, short: string): Omit<Failure, 'id'> {
  const message = pytestError(section) || (short.trim() === '' ? lastError(section) : short)
  return {
    message: message === '' ? 'It failed.' : message,
    kind: failureKind(message),
    ...stackFrame(section),
    ...(valuePair(section) ?? valuePair(message)),
  }
}

/** With --tb=native the error is the last line that is not indented. */
function lastError(section: string): string {
  return (
    section
      .split('\n')
      .findLast((line) => /^\w[\w.]*(?:Error|Exception|Warning)?:? ?/.test(line))
      ?.trim() ?? ''
  )
}
