import type { Failure, TestCounts, TestOutcome, TestResult } from '../../core/failure.ts'
import { type Report, TESTS_KEPT_MAX } from '../check.ts'

/** Puts a report together from what a parser reads, test by test, within bounds. */
export interface ReportBuilder {
  /**
   * A test that did not fail. An `id` that costs something to make is asked for only while tests are still named. `file` tells tests
   * of one name apart; leave it out if the id has it already.
   */
  add(outcome: Exclude<TestOutcome, 'failed'>, id: string | (() => string), file?: string): void
  /** A test that failed; `describe` is asked only while failures are still kept. */
  fail(id: string, describe: () => Omit<Failure, 'id'>, file?: string): void
  /** The report cannot be believed whole; the first reason is kept. */
  doubt(trouble: string): void
  /** How many were added so far. */
  counts(): TestCounts
  report(options?: ReportOptions): Report
}

interface ReportOptions {
  /** Whether every test was added, those that passed as well. Default false: the report then has no `tests`. */
  readonly hasAllTests?: boolean
  /** What a closing line counts; default: what was added. More failures are believed than either says alone. */
  readonly counts?: TestCounts
}

const FAILURES_READ_MAX = 1000
const TEXT_CHARACTERS_MAX = 10_000

/**
 * Ids are made unique in the order they come: the first keeps its name, the second of that name gets its file before it, or
 * ` (2)` after it if no file is given or that id is taken too.
 */
export function reportBuilder(format: string): ReportBuilder {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const tests: TestResult[] = []
  const failures: Failure[] = []
  const timesSeen = new Map<string, number>()
  let trouble: string | undefined
  const record = (outcome: TestOutcome, named: string | (() => string), file: string | undefined): string | undefined => {
    counts[outcome] += 1
    const isKept = tests.length < TESTS_KEPT_MAX
    if (!isKept && (outcome !== 'failed' || failures.length >= FAILURES_READ_MAX)) return undefined
    const id = typeof named === 'string' ? named : named()
    const unique = uniqueId(timesSeen, id.trim() === '' ? 'unnamed test' : id, file)
    if (isKept) tests.push({ id: unique, outcome })
    return unique
  }
  return {
    add: (outcome, id, file) => void record(outcome, id, file),
    fail: (id, describe, file) => {
      const unique = record('failed', id, file)
      if (unique !== undefined && failures.length < FAILURES_READ_MAX) failures.push({ ...bounded(describe()), id: unique })
    },
    doubt: (reason) => void (trouble ??= reason),
    counts: () => ({ ...counts }),
    report: ({ hasAllTests = false, counts: said = counts } = {}) =>
      detached({
        format,
        counts: { ...said, failed: Math.max(said.failed, counts.failed) },
        failures,
        ...(hasAllTests && { tests }),
        ...(trouble !== undefined && { trouble }),
      }),
  }
}

function uniqueId(timesSeen: Map<string, number>, id: string, file: string | undefined): string {
  const times = (timesSeen.get(id) ?? 0) + 1
  timesSeen.set(id, times)
  if (times === 1) return id
  if (file !== undefined) return uniqueId(timesSeen, `${file} > ${id}`, undefined)
  // A test may really be called `adds (2)`, so the number is looked up as well.
  return uniqueId(timesSeen, `${id} (${times})`, undefined)
}

function bounded(failure: Omit<Failure, 'id'>): Omit<Failure, 'id'> {
  const { message, expected, received } = failure
  return {
    ...failure,
    message: message.trim() === '' ? 'It failed.' : short(message),
    ...(expected !== undefined && { expected: short(expected) }),
    ...(received !== undefined && { received: short(received) }),
  }
}

function short(text: string): string {
  return text.length > TEXT_CHARACTERS_MAX ? text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed() : text
}

/** A piece of a long string keeps the whole of it in memory, so what is returned is written again. */
function detached(report: Report): Report {
  return JSON.parse(JSON.stringify(report)) as Report
}

/** One error of a linter. */
export interface LintProblem {
  readonly file: string
  readonly line: number | undefined
  readonly rule: string | undefined
  readonly message: string
  /** The file could not even be read. */
  readonly isFatal: boolean
}

/**
 * Adds a linter's error to a report. Its id is file, rule and message: lines move with every edit, and the same error twice in a
 * file gets a number.
 */
export function lintFailure(builder: ReportBuilder, { file, line, rule, message, isFatal }: LintProblem): void {
  const text = message.trim()
  const id = [file, rule, text.split('\n', 1)[0]?.slice(0, 200)].filter((part) => part !== undefined && part !== '').join(' > ')
  builder.fail(id, () => ({
    kind: isFatal || /^Parsing error\b/.test(text) ? 'compile' : 'lint',
    message: rule === undefined ? text : `${text} (${rule})`,
    file,
    ...(line !== undefined && line > 0 && { line }),
  }))
}
