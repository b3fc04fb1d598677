import type { BacktestRow } from '../../../core/backtest/backtest.ts'
import type { Interval } from '../../../core/backtest/bootstrap.ts'
import { counted, money, thousands } from '../../../core/wording.ts'
import type { Screen } from './screen.ts'
import { tableLines } from './table-lines.ts'
import { wrapped } from './text-layout.ts'

/** What is shown: the rows, and what could not be used. */
export interface ShownBacktest {
  readonly loops: number
  readonly skipped: {
    readonly malformed: number
    readonly gaps: number
    readonly damaged: number
    readonly withoutIterations: number
    readonly problems: readonly string[]
  }
  readonly results: readonly BacktestRow[]
}

/** A table for each kind and dataset, then where guards ended loops, what was left out, and how to read it. */
export function backtestLines(shown: ShownBacktest, screen: Screen): readonly string[] {
  const groups = [...Map.groupBy(shown.results, groupTitle)]
  return [
    ...groups.flatMap(([title, rows]) => [screen.paint('bold', title), ...rowLines(rows, screen), '']),
    ...skippedLines(shown),
    ...wrapped(READING, screen.columns).map((line) => screen.paint('dim', line)),
  ]
}

const READING =
  'Avoided is the share of the iterations of failed loops that would not have been done; lost is the share of solved loops that would have been ended before their success. In brackets: 95 of 100 times, drawn anew by task. Kinds are never put together.'

/** "turns, intercode: 6,467 loops at 412 tasks, 2,461 solved, 4,006 failed". */
export function groupTitle({ kind, dataset, counts }: BacktestRow): string {
  const known = `${thousands(counts.solved)} solved, ${thousands(counts.failed)} failed`
  return `${kind}, ${dataset ?? 'all datasets'}: ${thousands(counts.loops)} loop${counts.loops === 1 ? '' : 's'} at ${counted(counts.tasks, 'task')}, ${known}`
}

function rowLines(rows: readonly BacktestRow[], screen: Screen): readonly string[] {
  const hasCost = rows.some(({ costUsdSaved }) => costUsdSaved !== null)
  const titles = ['policy', 'avoided', '', 'lost', '', ...(hasCost ? ['saved'] : []), 'ended by']
  const cells = rows.map((row) => [
    row.policy,
    percent(row.avoided),
    interval(row.avoidedInterval),
    percent(row.lost),
    interval(row.lostInterval),
    ...(hasCost ? [row.costUsdSaved === null ? '' : money(row.costUsdSaved)] : []),
    endedBy(row),
  ])
  return tableLines(titles, cells, screen)
}

function endedBy({ guards }: BacktestRow): string {
  const told = guards.slice(0, GUARDS_SHOWN_MAX).map(({ guard, stops }) => `${guard} ${stops}`)
  return guards.length > GUARDS_SHOWN_MAX ? `${told.join(', ')} …` : told.join(', ')
}

const GUARDS_SHOWN_MAX = 3

/** "12.3%"; a dash where there was nothing to take a share of. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)}%`
}

/** "[11.0, 13.5]". */
export function interval(bounds: Interval | null): string {
  return bounds === null ? '' : `[${bounds.map((bound) => (100 * bound).toFixed(1)).join(', ')}]`
}

function skippedLines({ skipped }: ShownBacktest): readonly string[] {
  const { malformed, gaps, damaged, withoutIterations, problems } = skipped
  const told = [
    ...(malformed > 0 ? [`${counted(malformed, 'line')} skipped that could not be read as a loop`] : []),
    ...(gaps > 0 ? [`${counted(gaps, 'loop')} refused whose iterations are not numbered one by one`] : []),
    ...(damaged > 0 ? [`${counted(damaged, 'run')} left out whose journal is damaged`] : []),
    ...(withoutIterations > 0 ? [`${counted(withoutIterations, 'run')} left out without an iteration`] : []),
  ]
  return told.length === 0 ? [] : [...told.map((line) => `${line}.`), ...problems.map((problem) => `  ${problem}`), '']
}
