import type { Failure } from '../failure.ts'
import type { CheckLedger, Ledger } from './ledger.ts'
import { hidesTests, type TestsSeen } from './test-changes.ts'

/**
 * What a failed check has to be run again for: a test fails that passed when the check last ran, or that is known to be flaky.
 */
export function needsSecondRun(ledger: Ledger, check: string, { passed, failures }: TestsSeen): boolean {
  const known = Object.hasOwn(ledger.checks, check) ? ledger.checks[check] : undefined
  return !passed && known !== undefined && failures.some((failure) => hasPassedBefore(known, check, failure))
}

function hasPassedBefore({ tests, testsMax }: CheckLedger, check: string, { id, kind }: Failure): boolean {
  if (isSteady({ id, kind }, check)) return false
  const entry = Object.hasOwn(tests, id) ? tests[id] : undefined
  if (entry) return entry.outcome === 'passed' || entry.flaky !== undefined
  // A check that names no tests passed if nothing of it failed; a report that names failures only has more tests than names.
  if (id === check) return !Object.values(tests).some(({ outcome }) => outcome === 'failed')
  return testsMax > Object.keys(tests).length
}

/** Whether it would be the same in a second run: what a compiler or a linter says, and a check that runs out of time. */
export function isSteady({ id, kind }: Pick<Failure, 'id' | 'kind'>, check: string): boolean {
  return STEADY.has(kind) || (kind === 'timeout' && id === check)
}

const STEADY: ReadonlySet<Failure['kind']> = new Set(['compile', 'lint', 'environment', 'review'])

/** The tests that passed in one of two runs on the same files and failed in the other. */
export function flakyTests(one: TestsSeen, other: TestsSeen): readonly string[] {
  const flaky = [...failing(one)].filter((id) => hasPassed(other, id))
  return [...flaky, ...[...failing(other)].filter((id) => hasPassed(one, id))]
}

function failing({ failures }: TestsSeen): ReadonlySet<string> {
  return new Set(failures.map(({ id }) => id))
}

/** Only what is known to have run: a test in a file that did not load has not passed. */
function hasPassed({ passed, tests, counts, failures }: TestsSeen, id: string): boolean {
  if (passed && !tests) return true
  const listed = tests?.filter((test) => test.id === id)
  if (listed && listed.length > 0) return listed.every(({ outcome }) => outcome === 'passed')
  // A check that failed as a whole and passed now is in no list of tests.
  if (passed) return true
  const isWhole = counts !== undefined && counts.failed <= failures.length && !failures.some(hidesTests)
  return !tests && isWhole && !failures.some((failure) => failure.id === id)
}
