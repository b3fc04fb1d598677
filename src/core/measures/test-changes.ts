import type { Failure, TestCounts, TestOutcome, TestResult } from '../failure.ts'
import type { Ledger, TestEntry } from './ledger.ts'

/** How a check's tests compare with its last run; tests that aren't named are unchanged. */
export interface TestChanges {
  /** Tests with another outcome than before, or not known before. */
  readonly changed: readonly (readonly [id: string, outcome: TestOutcome])[]
  /** Tests that are no longer there. */
  readonly gone: readonly string[]
}

/** What a check's result says about its tests. */
export interface TestsSeen {
  readonly passed: boolean
  readonly counts?: TestCounts
  readonly failures: readonly Failure[]
  /** Every test, where the report lists them all. */
  readonly tests?: readonly TestResult[]
}

/**
 * What to record of a check's tests. A report that lists every test shows which are gone; of one that only lists failures, what
 * is no longer among them passes, as far as the counts bear it out. Both only as long as the list is whole: tests that could not be loaded, or were not read, are
 * neither gone nor fixed.
 */
export function testChanges(ledger: Ledger, check: string, seen: TestsSeen): TestChanges | undefined {
  const before = Object.hasOwn(ledger.checks, check) ? ledger.checks[check] : undefined
  const { tests: known, testsMax } = before ?? { tests: {}, testsMax: 0 }
  // A compiler's or a linter's report hides nothing: all it ever names are failures.
  const hasTests = testsMax > Object.keys(known).length || [before?.start, before?.counts].some((each) => each && each.passed > 0)
  const changes = seen.tests ? listed(known, check, seen.tests, seen) : inferred(known, seen, hasTests, before?.counts)
  return changes.changed.length === 0 && changes.gone.length === 0 ? undefined : changes
}

type Known = Readonly<Record<string, TestEntry>>

function listed(known: Known, check: string, tests: readonly TestResult[], seen: TestsSeen): TestChanges {
  const now = new Map<string, TestOutcome>()
  for (const { id, outcome } of tests) {
    const other = now.get(id)
    if (other === undefined || WORSE[outcome] > WORSE[other]) now.set(id, outcome)
  }
  const changed: [string, TestOutcome][] = [...now].filter(([id, outcome]) => outcomeOf(known, id) !== outcome)
  // If no report could be read, the check itself was the one failure. Now there is one, so that is fixed, not deleted.
  if (outcomeOf(known, check) === 'failed' && !now.has(check)) changed.push([check, 'passed'])
  if (!isWhole(tests, seen)) return { changed, gone: [] }
  const gone = Object.keys(known).filter((id) => id !== check && outcomeOf(known, id) !== 'gone' && !now.has(id))
  return { changed, gone }
}

/** Of two tests with the same name the worse counts, whichever comes first. */
const WORSE: Readonly<Record<TestOutcome, number>> = { passed: 0, skipped: 1, failed: 2 }

function isWhole(tests: readonly TestResult[], { counts, passed, failures }: TestsSeen): boolean {
  const ran = counts ? counts.passed + counts.failed + counts.skipped : 0
  return tests.length >= ran && (passed || !failures.some(hidesTests))
}

function inferred(
  known: Known,
  { passed, counts, failures }: TestsSeen,
  hasTests: boolean,
  countsBefore: TestCounts | undefined,
): TestChanges {
  const failing = new Set(failures.map((failure) => failure.id))
  const failed = [...failing].filter((id) => outcomeOf(known, id) !== 'failed').map((id) => [id, 'failed'] as const)
  // Without counts no report was read: then only what failed is known.
  const isRead = counts !== undefined && counts.failed <= failures.length && !(hasTests && failures.some(hidesTests))
  const isOver = (id: string): boolean => outcomeOf(known, id) === 'failed' && !failing.has(id)
  const over = passed || isRead ? Object.keys(known).filter(isOver) : []
  if (!counts || !countsBefore || over.length === 0) return { changed: [...failed, ...over.map(mended)], gone: [] }
  // What is skipped or deleted is no longer among the failures either: as many must pass now that did not.
  if (counts.skipped > countsBefore.skipped)
    return { changed: [...failed, ...over.map((id) => [id, 'skipped'] as const)], gone: [] }
  const isFewer = counts.passed + counts.failed < countsBefore.passed + countsBefore.failed
  const isBorneOut = !hasTests || !isFewer || counts.passed - countsBefore.passed + failed.length >= over.length
  return isBorneOut ? { changed: [...failed, ...over.map(mended)], gone: [] } : { changed: failed, gone: over }
}

function mended(id: string): readonly [id: string, outcome: TestOutcome] {
  return [id, 'passed']
}

/** Code that does not load keeps its tests from running at all: it does not compile, or what failed is a whole file. */
export function hidesTests({ kind, id, file }: Failure): boolean {
  if (kind === 'compile' || kind === 'environment') return true
  return file !== undefined && id !== '' && withoutEnding(file).endsWith(withoutEnding(id))
}

/** Some runners name a file with its ending, some without. */
function withoutEnding(path: string): string {
  return path.replace(/\.[a-z]+$/, '')
}

/** Names that every object has (`constructor`) are names of tests like any other. */
function outcomeOf(known: Known, id: string): TestEntry['outcome'] | undefined {
  return Object.hasOwn(known, id) ? known[id]?.outcome : undefined
}
