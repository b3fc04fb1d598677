import type { State } from '../state.ts'
import type { CheckLedger } from './ledger.ts'
import { isSettingsFile } from './test-edits/loosened-settings.ts'
import { isTestFile } from './test-edits/test-file.ts'

export interface LostTests {
  /** Reported before, and not any more. */
  readonly vanished: readonly string[]
  /** Run before, and reported as skipped now. */
  readonly skipped: readonly string[]
}

/**
 * Tests that the checks no longer run and that make a pass worth less. Only a pass is asked about: while something fails, a broken
 * file hides its tests without any harm. A test that failed at the start and is gone counts always; others when the agent edited tests
 * or their settings in this iteration and fewer tests run than ever did. One that came back under another path does not count.
 */
export function lostTests({ current, measures, baseline, plan }: State): LostTests {
  const isTouched = current.observed?.files.some(({ path }) => isTestFile(path) || isSettingsFile(path)) === true
  if (current.ended?.verdict.passed !== true) return { vanished: [], skipped: [] }
  const { checks, movement } = measures.ledger
  const failedFirst = new Set(baseline?.failures.map((failure) => failure.id))
  const newlyGone = new Set(movement.vanished)
  const vanished = current.checks.flatMap(({ name, counts }) => {
    const known = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!known) return []
    const isFewer = counts !== undefined && counts.passed + counts.failed < known.testsMax
    const back = newNames(known, current.number)
    return Object.entries(known.tests).flatMap(([id, { outcome, first }]) => {
      // Tests that the agent wrote for this goal are its own.
      if (first >= (plan?.firstIteration ?? 1)) return []
      const isLoss = failedFirst.has(id) || (isTouched && isFewer && newlyGone.has(id))
      return outcome === 'gone' && isLoss && !back.has(nameOf(id)) ? [id] : []
    })
  })
  return { vanished: vanished.slice(0, LOST_MAX), skipped: isTouched ? movement.skippedNow.slice(0, LOST_MAX) : [] }
}

const LOST_MAX = 20

/** Names of tests that are new in this iteration: a moved file gives its tests other ids. */
function newNames({ tests }: CheckLedger, iteration: number): ReadonlySet<string> {
  const fresh = Object.entries(tests).filter(
    ([, { outcome, since, before }]) => outcome !== 'gone' && since === iteration && before === undefined,
  )
  return new Set(fresh.map(([id]) => nameOf(id)))
}

/** The last part of an id: `adds` of `src/add.test.ts > sums > adds`. */
function nameOf(id: string): string {
  return id.split(/ > | › |::/).at(-1) ?? id
}
