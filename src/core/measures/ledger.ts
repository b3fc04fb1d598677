import type { TestCounts, TestOutcome } from '../failure.ts'
import type { TestChanges } from './test-changes.ts'

/** Every test of every check over the iterations. */
export interface Ledger {
  readonly checks: Readonly<Record<string, CheckLedger>>
  /** What the newest finished iteration moved. */
  readonly movement: LedgerMovement
}

export interface CheckLedger {
  /** The iteration it first ran in. */
  readonly first: number
  /** The most tests it ever ran, skipped ones left out: tests that vanish never raise the score. */
  readonly testsMax: number
  /** How many there were when it was last read. */
  readonly counts?: TestCounts
  /** The same when it was first read for the goal, or for the unit of work: what fewer tests, or more skipped ones, are held against. */
  readonly start?: TestCounts
  /** The iteration in which that was read, if work had begun: the agent's own tests may be among them. */
  readonly startIteration?: number
  readonly tests: Readonly<Record<string, TestEntry>>
}

export interface TestEntry {
  /** The iteration it was first seen in: what was not there before the work is the agent's own. */
  readonly first: number
  readonly outcome: TestOutcome | 'gone'
  /** The iteration since which it is so; 0 is the look before any work. */
  readonly since: number
  /** Its state before that iteration; absent if unknown. */
  readonly before?: TestOutcome | 'gone'
  /** Whether it passed when it last ran before that iteration: a test that is skipped or gone for a while keeps its history. */
  readonly verdictBefore?: 'passed' | 'failed'
  /** How often it went from pass to fail or back, from one iteration to a later one. */
  readonly flips: number
  /** The iteration in which it was last found to pass and fail on the same files; absent if it never was. */
  readonly flaky?: number
}

/** How the tests moved in one iteration; names at most `NAMES_MAX` of a kind, `counts` counts all. */
export interface LedgerMovement {
  readonly fixed: readonly string[]
  /** Failing now, and not before. */
  readonly broken: readonly string[]
  /** Failing as before. */
  readonly persisting: readonly string[]
  /** Failing again after having been fixed, and not yet for `FLAPPING_ITERATIONS` in a row. */
  readonly flapping: readonly string[]
  readonly vanished: readonly string[]
  /** Skipped now, and run before. */
  readonly skippedNow: readonly string[]
  /** Tests that pass and fail on the same files. They are in no other list. Absent if there are none. */
  readonly flaky?: readonly string[]
  readonly counts: Readonly<Record<'fixed' | 'broken' | 'persisting' | 'flapping' | 'vanished' | 'skippedNow', number>>
}

/** How many tests of a kind a movement names. */
const NAMES_MAX = 50

/** Nothing has moved. */
const noMovement: LedgerMovement = {
  fixed: [],
  broken: [],
  persisting: [],
  flapping: [],
  vanished: [],
  skippedNow: [],
  counts: { fixed: 0, broken: 0, persisting: 0, flapping: 0, vanished: 0, skippedNow: 0 },
}

/** No test is known yet. */
export const initialLedger: Ledger = { checks: {}, movement: noMovement }

/** Takes in what one check said in one iteration. */
export function ledgerWith(
  ledger: Ledger,
  check: string,
  iteration: number,
  {
    counts,
    tests: changes,
    flaky = [],
  }: { readonly counts?: TestCounts; readonly tests?: TestChanges; readonly flaky?: readonly string[] },
): Ledger {
  const known = Object.hasOwn(ledger.checks, check) ? ledger.checks[check] : undefined
  const ran = counts ? counts.passed + counts.failed : 0
  const testsMax = Math.max(known?.testsMax ?? 0, ran)
  const start = known?.start ?? counts
  const startIteration = known?.start ? known.startIteration : iteration
  const now = counts ?? known?.counts
  const isAsBefore = changes === undefined && flaky.length === 0
  if (isAsBefore && testsMax === known?.testsMax && isSameCounts(now, known.counts) && start === known.start) return ledger
  const changed = changes === undefined ? (known?.tests ?? {}) : changedTests(known?.tests ?? {}, changes, iteration)
  const tests = flaky.length === 0 ? changed : withFlaky(changed, flaky, iteration)
  return {
    ...ledger,
    checks: {
      ...ledger.checks,
      [check]: {
        first: known?.first ?? iteration,
        testsMax,
        tests,
        ...(now ? { counts: now } : {}),
        ...(start ? { start, ...(startIteration ? { startIteration } : {}) } : {}),
      },
    },
  }
}

/** Whether a check of this name has passed or failed before. */
export function hasEnded(ledger: Ledger, check: string): boolean {
  return Object.hasOwn(ledger.checks, check)
}

/** From here on tests are compared with their state now: another item begins. */
export function ledgerFromHere(ledger: Ledger): Ledger {
  const checks = Object.entries(ledger.checks).map(([name, { start: _before, startIteration: _then, ...check }]) => [
    name,
    check.counts ? { ...check, start: check.counts } : check,
  ])
  return { ...ledger, checks: Object.fromEntries(checks) as Ledger['checks'] }
}

/** A person changed the tests: what is counted next is what later counts are held against. */
export function ledgerUncounted(ledger: Ledger): Ledger {
  const checks = Object.entries(ledger.checks).map(
    ([name, { start: _before, startIteration: _then, counts: _last, ...check }]) => [name, check],
  )
  return { ...ledger, checks: Object.fromEntries(checks) as Ledger['checks'] }
}

function isSameCounts(one: TestCounts | undefined, other: TestCounts | undefined): boolean {
  return one === other || (one?.passed === other?.passed && one?.failed === other?.failed && one?.skipped === other?.skipped)
}

/** Closes an iteration: says what moved in it. */
export function ledgerAfter(ledger: Ledger, iteration: number): Ledger {
  const names: Record<keyof LedgerMovement['counts'], string[]> = {
    fixed: [],
    broken: [],
    persisting: [],
    flapping: [],
    vanished: [],
    skippedNow: [],
  }
  const flaky: string[] = []
  for (const check of Object.keys(ledger.checks)) {
    const { tests } = ledger.checks[check] as CheckLedger
    for (const id of Object.keys(tests)) {
      const entry = tests[id]
      const kind = entry && movementOf(entry, iteration)
      if (kind) names[kind].push(id)
      if (entry?.flaky === iteration) flaky.push(id)
    }
  }
  const { fixed, broken, persisting, flapping, vanished, skippedNow } = names
  const movement = {
    fixed: firstIds(fixed),
    broken: firstIds(broken),
    persisting: firstIds(persisting),
    flapping: firstIds(flapping),
    vanished: firstIds(vanished),
    skippedNow: firstIds(skippedNow),
    ...(flaky.length === 0 ? {} : { flaky: firstIds(flaky) }),
    counts: {
      fixed: fixed.length,
      broken: broken.length,
      persisting: persisting.length,
      flapping: flapping.length,
      vanished: vanished.length,
      skippedNow: skippedNow.length,
    },
  }
  return { checks: ledger.checks, movement }
}

function firstIds(ids: readonly string[]): readonly string[] {
  return ids.length <= NAMES_MAX ? ids : ids.slice(0, NAMES_MAX)
}

/** How a failing test is to be called: `flapping` before `broken` before `persisting`; `undefined` for one not known to fail. */
export function standingOf(ledger: Ledger, id: string, iteration: number): 'broken' | 'persisting' | 'flapping' | undefined {
  for (const { tests } of Object.values(ledger.checks)) {
    const entry = ownEntry(tests, id)
    const kind = entry?.outcome === 'failed' ? movementOf(entry, iteration) : undefined
    if (kind === 'broken' || kind === 'persisting' || kind === 'flapping') return kind
  }
  return undefined
}

function movementOf(entry: TestEntry, iteration: number): keyof LedgerMovement['counts'] | undefined {
  // Whatever it says, it says nothing about the work.
  if (entry.flaky !== undefined && entry.outcome !== 'gone' && entry.outcome !== 'skipped') return undefined
  const isNow = entry.since === iteration
  if (entry.outcome === 'failed') {
    if (entry.flips >= FLIPS_FLAPPING_MIN && iteration - entry.since < FLAPPING_ITERATIONS - 1) return 'flapping'
    return isNow && entry.verdictBefore !== 'failed' ? 'broken' : 'persisting'
  }
  if (!isNow) return undefined
  if (entry.outcome === 'passed') return entry.verdictBefore === 'failed' ? 'fixed' : undefined
  if (entry.before === undefined || entry.before === 'gone') return undefined
  if (entry.outcome === 'gone') return 'vanished'
  return entry.before === 'skipped' ? undefined : 'skippedNow'
}

/** Failed, passed, failed: it came back once. */
const FLIPS_FLAPPING_MIN = 2

/** What fails as often as this in a row does not come and go any more. */
const FLAPPING_ITERATIONS = 3

function withFlaky(known: CheckLedger['tests'], flaky: readonly string[], iteration: number): CheckLedger['tests'] {
  const tests = { ...known }
  for (const id of flaky) {
    const entry = ownEntry(tests, id) ?? { outcome: 'passed', first: iteration, since: iteration, flips: 0 }
    put(tests, id, { ...entry, flaky: iteration })
  }
  return tests
}

/** The tests that were found to pass and fail on the same files in this run. */
export function flakyNames({ checks }: Ledger): readonly string[] {
  return Object.values(checks).flatMap(({ tests }) =>
    Object.entries(tests).flatMap(([id, { flaky }]) => (flaky === undefined ? [] : [id])),
  )
}

/** Whether a test was found to pass and fail on the same files in this run. */
export function isFlaky(ledger: Ledger, check: string, id: string): boolean {
  const known = Object.hasOwn(ledger.checks, check) ? ledger.checks[check] : undefined
  return known !== undefined && ownEntry(known.tests, id)?.flaky !== undefined
}

function changedTests(known: CheckLedger['tests'], { changed, gone }: TestChanges, iteration: number): CheckLedger['tests'] {
  const tests = withoutLongGone(known, changed.length + gone.length)
  for (const [id, outcome] of changed) put(tests, id, moved(ownEntry(tests, id), outcome, iteration))
  for (const id of gone) {
    const entry = ownEntry(tests, id)
    if (entry) put(tests, id, moved(entry, 'gone', iteration))
  }
  return tests
}

/**
 * A copy to change. Tests that got new names in every run would pile up, so above `TESTS_REMEMBERED_MAX` the ones that are gone are
 * forgotten, those that went first before the others.
 */
function withoutLongGone(known: CheckLedger['tests'], more: number): Record<string, TestEntry> {
  const excess = Object.keys(known).length + more - TESTS_REMEMBERED_MAX
  if (excess <= 0) return { ...known }
  const gone = Object.entries(known).filter(([, entry]) => entry.outcome === 'gone')
  const dropped = new Set(
    gone
      .toSorted(([, one], [, other]) => one.since - other.since)
      .slice(0, excess)
      .map(([id]) => id),
  )
  return Object.fromEntries(Object.entries(known).filter(([id]) => !dropped.has(id)))
}

/** Twice as many tests as a report names one by one. */
const TESTS_REMEMBERED_MAX = 40_000

/** Assigning to `__proto__` would set the prototype: a test of that name is a test like any other. */
function put(tests: Record<string, TestEntry>, id: string, entry: TestEntry): void {
  if (id === '__proto__') Object.defineProperty(tests, id, { value: entry, enumerable: true, writable: true, configurable: true })
  else tests[id] = entry
}

/** Within one iteration a test may be checked several times; each result is compared with the state before the iteration. */
function moved(entry: TestEntry | undefined, outcome: TestEntry['outcome'], iteration: number): TestEntry {
  if (!entry) return { outcome, first: iteration, since: iteration, flips: 0 }
  const isAgain = entry.since === iteration
  const before = isAgain ? entry.before : entry.outcome
  const verdictBefore = isAgain ? entry.verdictBefore : isVerdict(entry.outcome) ? entry.outcome : entry.verdictBefore
  const flipsBefore = isAgain ? entry.flips - Number(isFlip(entry.verdictBefore, entry.outcome)) : entry.flips
  return {
    outcome,
    first: entry.first,
    since: iteration,
    flips: flipsBefore + Number(isFlip(verdictBefore, outcome)),
    ...(entry.flaky === undefined ? {} : { flaky: entry.flaky }),
    ...(before === undefined ? {} : { before }),
    ...(verdictBefore === undefined ? {} : { verdictBefore }),
  }
}

function isFlip(verdictBefore: TestEntry['verdictBefore'], outcome: TestEntry['outcome']): boolean {
  return verdictBefore !== undefined && isVerdict(outcome) && outcome !== verdictBefore
}

function isVerdict(outcome: TestEntry['outcome']): outcome is 'passed' | 'failed' {
  return outcome === 'passed' || outcome === 'failed'
}

function ownEntry(tests: CheckLedger['tests'], id: string): TestEntry | undefined {
  return Object.hasOwn(tests, id) ? tests[id] : undefined
}
