import type { Failure, TestCounts } from '../failure.ts'
import type { State } from '../state.ts'
import { counted } from '../wording.ts'
import type { CheckLedger } from './ledger.ts'
import { hidesTests } from './test-changes.ts'
import { isSettingsFile } from './test-edits/settings-file.ts'
import { isTestFile } from './test-edits/test-file.ts'

export interface LostTests {
  /** Reported before, and not any more. */
  readonly vanished: readonly string[]
  /** Run before, and reported as skipped now. */
  readonly skipped: readonly string[]
  /** What the counts say where no names do, a sentence for each check. */
  readonly counts: readonly CountLoss[]
}

export interface CountLoss {
  readonly kind: 'deleted' | 'skipped'
  readonly text: string
}

/**
 * Tests that the checks no longer run and that make a pass worth less. Only a pass is asked about: while something fails, a broken
 * file hides its tests without any harm. A test counts when fewer run than did, and the agent edited tests or their settings since the
 * goal was set, or it failed at the start. Where no names are known the counts tell, if something failed before. One that came back
 * under another path or name does not count.
 */
export function lostTests(state: State): LostTests {
  const { current, measures, unit } = state
  if (current.ended?.verdict.passed !== true) return NONE
  const isTouched = hasTouchedTests(state)
  const failedFirst = new Set(state.baseline?.failures.map((failure) => failure.id))
  const from = unit?.firstIteration ?? 1
  const lost = current.checks.map(({ name, counts }) => {
    const known = Object.hasOwn(measures.ledger.checks, name) ? measures.ledger.checks[name] : undefined
    if (!known) return NONE
    const named = namedLosses(known, counts, { from, iteration: current.number, isTouched, failedFirst })
    const hasNames = named.vanished.length + named.skipped.length > 0
    return hasNames || !isTouched || !hasFailedBefore(state)
      ? named
      : { ...named, counts: countLosses(name, known, counts, state) }
  })
  return {
    vanished: lost.flatMap(({ vanished }) => vanished).slice(0, LOST_MAX),
    skipped: lost.flatMap(({ skipped }) => skipped).slice(0, LOST_MAX),
    counts: lost.flatMap((each) => each.counts),
  }
}

const NONE: LostTests = { vanished: [], skipped: [], counts: [] }

const LOST_MAX = 20

/** In any iteration on this goal: what was done earlier and not put back still tells. */
function hasTouchedTests({ current, recent }: State): boolean {
  const files = [...(current.observed?.files ?? []).map(({ path }) => path), ...recent.flatMap((iteration) => iteration.files)]
  return files.some((path) => isTestFile(path) || isSettingsFile(path))
}

function hasFailedBefore({ baseline, recent }: State): boolean {
  return (baseline?.failures.length ?? 0) > 0 || recent.some(({ failures }) => failures.length > 0)
}

interface Circumstances {
  /** The first iteration on the goal: tests that are first seen in it or later are the agent's own. */
  readonly from: number
  readonly iteration: number
  readonly isTouched: boolean
  readonly failedFirst: ReadonlySet<string>
}

function namedLosses(known: CheckLedger, counts: TestCounts | undefined, circumstances: Circumstances): LostTests {
  const { from, iteration, isTouched, failedFirst } = circumstances
  const entries = Object.entries(known.tests)
  // Of a report that names only failures, a test that the agent broke is first seen late and is no less there before.
  const isOwn = (first: number): boolean => first >= from && entries.length >= known.testsMax
  const ownGone = entries.filter(([, { outcome, first }]) => outcome === 'gone' && isOwn(first)).length
  const isFewer = counts !== undefined && counts.passed + counts.failed < known.testsMax - ownGone
  const back = newNames(known, iteration)
  const lost = (outcome: 'gone' | 'skipped'): string[] =>
    entries.flatMap(([id, entry]) => {
      const isNow = entry.outcome === outcome && entry.since >= from && entry.before !== undefined
      return isNow && !isOwn(entry.first) && (isTouched || (outcome === 'gone' && failedFirst.has(id))) ? [id] : []
    })
  const skipped = lost('skipped').filter((id) => !WAS_OFF.has(known.tests[id]?.before ?? ''))
  return { vanished: isFewer ? lost('gone').filter((id) => !back.has(nameOf(id))) : [], skipped, counts: [] }
}

const WAS_OFF: ReadonlySet<string> = new Set(['skipped', 'gone'])

/** Fewer tests than at the start, or more of them skipped. No counts at all, where there were some, are no tests. */
function countLosses(
  name: string,
  known: CheckLedger,
  counts: TestCounts | undefined,
  { baseline }: State,
): readonly CountLoss[] {
  const { start } = known
  if (!start) return []
  const isHidden = baseline?.failures.some((failure: Failure) => hidesTests(failure)) === true
  const before = isHidden ? known.testsMax : start.passed + start.failed
  const ran = counts ? counts.passed + counts.failed : 0
  const skipped = counts?.skipped ?? 0
  if (skipped > start.skipped && !isHidden) {
    return [{ kind: 'skipped', text: `${name}: ${counted(skipped, 'test')} skipped, ${start.skipped} before` }]
  }
  return ran < before ? [{ kind: 'deleted', text: `${name}: ${counted(ran, 'test')} ran, ${before} before` }] : []
}

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
