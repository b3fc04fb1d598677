import type { Failure, TestCounts } from '../../core/failure.ts'
import { TESTS_KEPT_MAX, type ReportParser } from '../check.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { linesOf, plainText, textBlocks } from './report-text.ts'
import { sourceLocation, stackFrame } from './stack-frame.ts'
import { failureKind, valuePair } from './test-failure.ts'

/**
 * Python's unittest (and Django's runner, which closes alike). Ids are dotted: `test_login.Login.test_a`. Several runs are added up.
 *
 * @part unittest
 */
export const unittestText: ReportParser = (output) => {
  const text = plainText(output)
  const builder = reportBuilder('unittest')
  const total = { passed: 0, failed: 0, skipped: 0 }
  let hasAllTests = true
  let from = 0
  for (const closing of text.matchAll(CLOSING)) {
    const run = readRun(text.slice(from, closing.index), closing, builder)
    total.passed += run.passed
    total.failed += run.failed
    total.skipped += run.skipped
    hasAllTests &&= run.hasAllTests
    from = closing.index + closing[0].length
  }
  const rest = text.slice(from)
  if (FAILURE_BLOCK.test(rest)) {
    builder.doubt('The report of unittest is cut off: its closing line is missing.')
    total.failed += readFailures(rest, builder).count
  } else if (from === 0) return undefined
  return builder.report({ counts: total, hasAllTests })
}

const CLOSING = /^Ran (\d+) tests? in [\d.]+s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/gm
const FAILURE_BLOCK = /^={70}\n(?:FAIL|ERROR): \S+ \(.*\)/m

function readRun(
  text: string,
  [, ran, details = '']: RegExpExecArray,
  builder: ReportBuilder,
): TestCounts & { hasAllTests: boolean } {
  const before = builder.counts()
  const listed = addListed(text, builder)
  const after = builder.counts()
  const failures = readFailures(text, builder)
  const detail = (word: string) => Number(new RegExp(`(?:^|, )${word}=(\\d{1,9})`).exec(details)?.[1] ?? 0)
  const unexpected = detail('unexpected successes')
  const failed = detail('failures') + detail('errors') + unexpected
  const skipped = detail('skipped') + detail('expected failures')
  // A broken set-up is an error without a test that ran, and one test may fail several times over.
  const notPassed = failures.count >= failed - unexpected ? Math.max(failures.tests, unexpected) : failed
  const passed = Math.max(0, Number(ran) - notPassed - skipped)
  const hasAllTests = listed > 0 && after.passed - before.passed === passed && after.skipped - before.skipped === skipped
  return { passed, failed, skipped, hasAllTests }
}

/** How many failures there are, and of how many tests. */
function readFailures(text: string, builder: ReportBuilder): { readonly count: number; readonly tests: number } {
  const start = Math.max(0, text.indexOf('='.repeat(70)))
  const blocks = textBlocks(text.slice(start), /^((?:FAIL|ERROR|UNEXPECTED SUCCESS): \S.*)$/, /^={70}$/)
  const failed = new Set<string>()
  for (const { heading, text: told } of blocks) {
    const { id, test } = idIn(heading.replace(/^[A-Z ]+: /, ''))
    if (!OUTSIDE.test(test)) failed.add(test)
    builder.fail(id, () => (heading.startsWith('UNEXPECTED') ? UNEXPECTED : failure(told)))
  }
  return { count: blocks.length, tests: failed.size }
}

const OUTSIDE = /\.(?:setUp|tearDown)(?:Class|Module)$/
const UNEXPECTED: Omit<Failure, 'id'> = { kind: 'assertion', message: 'It was expected to fail and passed.' }

/** `test_a (module.Class.test_a) (number=2)`; before Python 3.11 without the last name. */
function idIn(heading: string): { readonly id: string; readonly test: string } {
  const [, name = heading, owner = '', more = ''] = /^(\S+) \(([^\s)]+)\)(.*)$/.exec(heading) ?? []
  // A file that cannot be imported is called after itself.
  if (owner.startsWith('unittest.loader._FailedTest')) return { id: name, test: name }
  const test = owner === '' ? name : owner.endsWith(`.${name}`) ? owner : `${owner}.${name}`
  return { id: `${test}${more}`, test }
}

/**
 * With -v every test is listed, and those that did not fail are added. The first line of its documentation may be between a test
 * and its outcome. Gives how many were listed.
 */
function addListed(text: string, builder: ReportBuilder): number {
  let listed = 0
  let open: string | undefined
  for (const line of linesOf(text, LINE_CHARACTERS_MAX)) {
    if (line.startsWith('  ') || (open === undefined && !line.includes(' ('))) continue
    const heading = /^(\S+ \([\w.]+\))(?= \.\.\. |$)/.exec(line)?.[1]
    if (heading !== undefined) open = heading
    const word = / \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/.exec(line)?.[1]
    if (open === undefined || word === undefined) continue
    listed += 1
    const id = listed > TESTS_KEPT_MAX ? '' : idIn(open).id
    if (word === 'ok') builder.add('passed', id)
    else if (/^(?:skipped|expected)/.test(word)) builder.add('skipped', id)
    open = undefined
  }
  return listed
}

/** The error itself is the first line after the frames that is not indented, and what follows. */
function failure(text: string): Omit<Failure, 'id'> {
  const after = text.split(/^Traceback .*$/m).at(-1) ?? text
  const lines = after.split('\n')
  const start = lines.findIndex((line) => /^\S/.test(line) && !/^-+$/.test(line))
  const message =
    start < 0
      ? ''
      : lines
          .slice(start, start + LINES_MAX)
          .join('\n')
          .replace(/\n-{70}\s*$/, '')
          .trim()
  return {
    message: message === '' ? 'It failed.' : message,
    kind: failureKind(message),
    ...(stackFrame(text) ?? sourceLocation(text)),
    ...valuePair(message),
  }
}

const LINES_MAX = 15
const LINE_CHARACTERS_MAX = 1000
