import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import { PROOF_NAMES_MAX, type CellName, type Proof, type ProofCell, type ProofFinding } from '../core/proof.ts'
import { lastName, titleOf } from './altered-tests.ts'
import { renamed, type Renames } from './same-test.ts'

/** How a check ended in one cell. */
export interface CellResult {
  readonly cell: CellName
  readonly check: string
  readonly place: ProofCell['place']
  /** `errored`: it could not run, so it says nothing. */
  readonly status: 'passed' | 'failed' | 'errored'
  readonly counts?: TestCounts
  readonly failures: readonly Failure[]
  /** Every test, where the report lists them all. */
  readonly tests?: readonly TestResult[]
  readonly durationMs: number
  /** Tests that somebody changed while it ran in a room. */
  readonly touched?: readonly string[]
  /** Tests that somebody wrote to while it ran in a room, and that say the same again. */
  readonly rewritten?: readonly string[]
}

/** How a check stood when the unit of work began. */
export interface StartResult {
  readonly passed: boolean
  readonly counts?: TestCounts
  /** The tests it named, with what became of each. */
  readonly tests: readonly TestResult[]
  /** Set if `tests` has every one. */
  readonly areAllNamed: boolean
  readonly failing: readonly string[]
  /** Test files that couldn't be loaded, so nobody knows what is in them. */
  readonly hidden?: readonly string[]
  /** Files that a compiler or a linter complained about. */
  readonly problemFiles?: readonly string[]
  /** Set if it failed because there were no tests. */
  readonly hasNoTests?: true
  /** Set if every test passed, and it failed because they reach too little of the code. */
  readonly lacksCoverage?: true
}

/** Whether a check failed for nothing but too little coverage. */
export function lacksCoverage(check: string, { counts, failures }: Pick<CellResult, 'counts' | 'failures'>): boolean {
  const isOnlyCheck = failures.length > 0 && failures.every(({ id }) => id === check)
  return isOnlyCheck && counts !== undefined && counts.failed === 0 && counts.passed > 0 && TOO_LITTLE.test(failures[0]!.message)
}

const TOO_LITTLE =
  /\bcoverage\b.*(?:\bthreshold\b|\brequired\b|\bnot (?:met|reached)\b|fail-under)|(?:\bthreshold\b|\brequired\b).*\bcoverage\b/i

/**
 * Whether a check failed because it found nothing to run. Runners differ in whether that is a failure; either way it says nothing of the
 * code.
 */
export function findsNoTests(check: string, { counts, failures }: Pick<CellResult, 'counts' | 'failures'>): boolean {
  const ran = counts ? counts.passed + counts.failed : 0
  const isOnlyCheck = failures.length > 0 && failures.every(({ id }) => id === check)
  // pytest's own exit code for it.
  return (
    ran === 0 &&
    isOnlyCheck &&
    failures.some(({ message }) => NO_TESTS.test(message) || (counts && /^Exit code 5\b/.test(message)))
  )
}

const NO_TESTS = /\bno tests?(?: files?)?(?: were)? (?:found|ran|run|collected|specified)\b|\bnotests\b/i

/** The start without the tests that a person let the agent change, which may be gone: those that the old text of an allowed file names. */
export function withoutAllowed(start: StartResult, allowed: ReadonlyMap<string, string>): StartResult {
  if (allowed.size === 0) return start
  const isAllowed = ({ id }: TestResult): boolean =>
    [...allowed].some(([path, text]) => id.startsWith(path) || text.includes(titleOf(id)))
  const { counts: _all, ...named } = start
  return { ...named, tests: start.tests.filter((test) => !isAllowed(test)) }
}

/** Whether red at the start means something: the check ran and named what fails, or has only its exit code to say so. */
export function isRed({ passed, failing, hasNoTests }: StartResult): boolean {
  return !passed && failing.length > 0 && !hasNoTests
}

/** What the old tests say of the new code, against how they stood at the start. */
export function findingsOf(start: StartResult, result: CellResult, renames: Renames, canMove = true): readonly ProofFinding[] {
  const { check } = result
  if (result.status === 'failed') return [failedFinding('old-tests-fail', result)]
  // A test file that ends the process counts as one test that passes.
  const unread = (start.hidden ?? []).filter((id) => result.tests?.some((test) => test.id === id && test.outcome === 'passed'))
  if (unread.length > 0) return [finding('tests-not-run', check, unread)]
  const lost = testsNotRun(start, result, renames, canMove)
  return lost.count === 0 ? [] : [finding('tests-not-run', check, lost.names, lost.count)]
}

/**
 * Tests that ran at the start and do not run, or are skipped, now. Without names the counts tell. `canMove`: a file with tests changed or is
 * gone, so that its tests may have other ids.
 */
export function testsNotRun(
  start: StartResult,
  { counts, tests }: CellResult,
  renames: Renames,
  canMove = true,
): { names: readonly string[]; count: number } {
  const ranAtStart = start.counts ? start.counts.passed + start.counts.failed : 0
  const ran = counts ? counts.passed + counts.failed : 0
  if (start.areAllNamed && tests) {
    const now = new Map(tests.map(({ id, outcome }) => [id, outcome]))
    const nameOf = (id: string): string => withoutNumbers(canMove ? lastName(id) : id)
    const names = new Set(tests.filter(({ outcome }) => outcome !== 'skipped').map(({ id }) => nameOf(id)))
    const isLost = ({ id, outcome }: TestResult): boolean => {
      const name = renamed(id, renames)
      const present = now.get(name)
      // A file that moved gives its tests other ids. A time or a seed in a name is another one each time; counts tell what they hide.
      const isElsewhere = names.has(nameOf(name))
      return outcome !== 'skipped' && (present === 'skipped' || (present === undefined && !isElsewhere))
    }
    const lost = start.tests.filter(isLost).map(({ id }) => id)
    if (lost.length > 0) return { names: lost, count: lost.length }
  }
  return { names: [], count: Math.max(0, ranAtStart - ran) }
}

function withoutNumbers(name: string): string {
  return name.replaceAll(/\b0x[\da-f]+\b|\d+/gi, '0')
}

/** What fails, as a finding. */
export function failedFinding(code: ProofFinding['code'], { check, failures }: CellResult): ProofFinding {
  const ids = failures.map(({ id }) => id)
  return finding(code, check, ids)
}

function finding(code: ProofFinding['code'], check: string, tests: readonly string[], count = tests.length): ProofFinding {
  return { code, check, ...(tests.length === 0 ? {} : { tests: tests.slice(0, PROOF_NAMES_MAX) }), count }
}

/** Who wrote what tells the difference. */
interface Authorship {
  /** Checks that the agent set itself. */
  readonly ownChecks?: ReadonlySet<string>
  /** Whether a failure is that of a test which somebody else wrote for the work. */
  isOfOthers?(check: string, failure: Failure): boolean
}

/** What the proof is worth, from the cells of all checks. */
export function levelOf(
  starts: ReadonlyMap<string, StartResult>,
  results: readonly CellResult[],
  { ownChecks = new Set(), isOfOthers = () => false }: Authorship = {},
): Pick<Proof, 'level' | 'turned' | 'turnedCount'> {
  const passed = (cell: CellName, check: string): boolean =>
    results.some((each) => each.cell === cell && each.check === check && each.status === 'passed')
  // Whoever sets the exam doesn't decide what passing it is worth, where the project has checks of its own.
  const isOwnOnly = results.every(({ check }) => ownChecks.has(check))
  const counts = (check: string): boolean => isOwnOnly || !ownChecks.has(check)
  const red = [...starts].filter(([check, start]) => counts(check) && isRed(start) && passed('old-tests-new-code', check))
  if (red.length > 0)
    return { level: isOwnOnly ? 'self-tested' : 'red-to-green', ...turnedTests(red.flatMap(([, { failing }]) => failing)) }
  const own = results.filter(
    ({ cell, check, status }) =>
      cell === 'new-tests-old-code' && status === 'failed' && counts(check) && passed('new-tests-new-code', check),
  )
  // Tests that reach more of the code are what was asked for.
  const covered = [...starts].filter(
    ([check, start]) => start.lacksCoverage && !passed('old-tests-new-code', check) && passed('new-tests-new-code', check),
  )
  if (own.length === 0 && covered.length > 0)
    return { level: 'self-tested', ...turnedTests(covered.flatMap(([, { failing }]) => failing)) }
  if (own.length === 0) return { level: 'unproven', turned: [] }
  const isTheirs = own.some(({ check, failures }) => failures.some((failure) => isOfOthers(check, failure)))
  const turned = turnedTests(own.flatMap(({ failures }) => failures.map(({ id }) => id)))
  return { level: isTheirs ? 'red-to-green' : 'self-tested', ...turned }
}

/** The tests that turned, as they are recorded. */
export function turnedTests(ids: readonly string[]): Pick<Proof, 'turned' | 'turnedCount'> {
  return { turned: ids.slice(0, PROOF_NAMES_MAX), ...(ids.length > 0 ? { turnedCount: ids.length } : {}) }
}

/** Whether the room says of the start what the workspace said then: otherwise it is no fit place to judge from. */
export function isRoomFit(start: StartResult, result: CellResult): boolean {
  if (result.status === 'errored' || (result.status === 'passed') !== start.passed) return false
  const failing = new Set(result.failures.map(({ id }) => id))
  return start.failing.every((id) => failing.has(id)) && failing.size === new Set(start.failing).size
}

/** A cell as it is recorded. */
export function recordedCell({ cell, check, place, status, counts, failures, durationMs }: CellResult): ProofCell {
  const failing = failures.slice(0, PROOF_NAMES_MAX).map(({ id }) => id)
  const said = { ...(counts ? { counts } : {}), ...(failing.length > 0 ? { failing } : {}) }
  return { cell, check, passed: status === 'passed', place, ...said, durationMs }
}
