import type { BacktestRow, InSample } from '../evidence/backtest/backtest.ts'
import type { Interval } from '../evidence/backtest/bootstrap.ts'
import { counted, money, thousands } from '../core/wording.ts'
import { oneLine, type Screen, tableLines, wrapped } from './layout.ts'

/** What could not be used of the sources. Changed while they are read. */
export interface Skipped {
  /** Lines that are no loop. */
  malformed: number
  /** Loops whose iterations are not numbered one by one. */
  gaps: number
  /** Loops that were read before, from another place. */
  repeated: number
  /** Files and stores that were named before, also by another name. */
  sourcesRepeated: number
  /** Runs whose journal cannot be read. */
  damaged: number
  /** Runs that did no iteration. */
  withoutIterations: number
  /** Imported sessions in which no tests were seen: nobody knows how they ended. */
  unreported: number
  /** The first of them, each with its place; at most `PROBLEMS_KEPT_MAX`. */
  readonly problems: string[]
}

/** What is shown: the rows, and what could not be used. */
export interface ShownBacktest {
  readonly loops: number
  readonly skipped: Skipped
  readonly beyondMaximum: number
  readonly inSample: InSample | null
  readonly results: readonly BacktestRow[]
}

/** A table for each kind and dataset, then where guards ended loops, what was left out, and how to read it. */
export function backtestLines(shown: ShownBacktest, screen: Screen): readonly string[] {
  const groups = [...Map.groupBy(shown.results, groupTitle)]
  return [
    ...groups.flatMap(([title, rows]) => [screen.paint('bold', title), ...rowLines(rows, screen), '']),
    ...skippedLines(shown),
    ...beyondMaximumWords(shown.beyondMaximum).flatMap((words) => wrapped(words, screen.columns)),
    ...(shown.inSample === null ? [] : wrapped(inSampleWords(shown.inSample), screen.columns)),
    ...wrapped(READING, screen.columns).map((line) => screen.paint('dim', line)),
  ]
}

/** How to read the figures. */
export const READING =
  'Avoided is the share of the iterations of failed loops that would not have been done; lost is the share of solved loops that would have been ended before their success. In brackets: 95 of 100 times, drawn again by task. Kinds are never put together.'

/** Loops that continued past their own maximum are used all the same, and said; nothing if there is none. */
export function beyondMaximumWords(loops: number): readonly string[] {
  if (loops === 0) return []
  return [`${counted(loops, 'loop')} recorded with more iterations than the maximum: replayed to the end.`]
}

/** What to think of figures on loops that a guard learned from. */
export function inSampleWords({ policies, datasets }: InSample): string {
  const which = `${policies.length === 1 ? 'the policy' : 'the policies'} ${listed(policies.map((name) => `"${name}"`))}`
  return `In ${which} worthContinuing decides. It learned from loops of ${listed(datasets)}: where these are the same loops, its figures are in-sample and flatter it. docs/decision-quality.md has it cross-validated. On datasets that it had not seen, only 1 in 200 and stricter promises were kept everywhere.`
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** "turns, intercode: 6,467 loops at 412 tasks, 2,461 solved, 4,006 failed". */
function groupTitle(row: BacktestRow): string {
  return `${row.kind}, ${oneLine(row.dataset ?? 'all datasets')}: ${loopWords([row])}`
}

/** "6,467 loops at 412 tasks, 2,461 solved, 4,006 failed"; the same for all policies. */
export function loopWords([row]: readonly BacktestRow[]): string {
  if (!row) return ''
  const { loops, tasks, solved, failed } = row.counts
  return `${counted(loops, 'loop')} at ${counted(tasks, 'task')}, ${thousands(solved)} solved, ${thousands(failed)} failed`
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

/** "12.3%"; a dash if there was nothing to take a share of. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)}%`
}

/** "[11.0, 13.5]". */
export function interval(bounds: Interval | null): string {
  return bounds === null ? '' : `[${bounds.map((bound) => (100 * bound).toFixed(1)).join(', ')}]`
}

function skippedLines({ skipped }: ShownBacktest): readonly string[] {
  const told = skippedWords(skipped)
  if (told.length === 0) return []
  return [...told, ...skipped.problems.map((problem) => `  ${oneLine(problem)}`), ...moreProblems(skipped), '']
}

function moreProblems(skipped: Skipped): readonly string[] {
  const left = problemsLeft(skipped)
  return left === 0 ? [] : [`  and ${thousands(left)} more`]
}

/** How many problems are counted and not named one by one. */
export function problemsLeft({ malformed, gaps, repeated, sourcesRepeated, damaged, problems }: Skipped): number {
  return malformed + gaps + repeated + sourcesRepeated + damaged - problems.length
}

/** What could not be used and was not counted twice, a sentence each. */
export function skippedWords(skipped: Skipped): readonly string[] {
  const { malformed, gaps, repeated, sourcesRepeated, damaged, withoutIterations, unreported } = skipped
  return [
    ...(malformed > 0 ? [`${counted(malformed, 'line')} skipped that could not be read as a loop.`] : []),
    ...(gaps > 0 ? [`${counted(gaps, 'loop')} refused whose iterations are not numbered one by one.`] : []),
    ...(sourcesRepeated > 0 ? [`${counted(sourcesRepeated, 'source')} left out that had been named before.`] : []),
    ...(repeated > 0 ? [`${counted(repeated, 'loop')} left out that had been read before.`] : []),
    ...(damaged > 0 ? [`${counted(damaged, 'run')} left out whose journal is damaged.`] : []),
    ...(withoutIterations > 0 ? [`${counted(withoutIterations, 'run')} left out without an iteration.`] : []),
    ...(unreported > 0
      ? [`${counted(unreported, 'imported session')} left out: no tests were seen, so nobody knows the end.`]
      : []),
  ]
}

/** What `pawl backtest --json` prints. */
export interface BacktestDocument {
  readonly sources: readonly string[]
  readonly policies: readonly {
    readonly name: string
    readonly about?: string
    readonly guards: readonly string[]
    readonly unexercised?: readonly string[]
  }[]
  readonly loops: number
  readonly skipped: Skipped
  /** Recorded loops with more iterations than their own maximum allows. They are used. */
  readonly beyondMaximum: number
  /** Figures that a guard may have learned from; `null` if none can be. */
  readonly inSample: InSample | null
  /** The page that was written. */
  readonly page: string | null
  /** By kind, dataset and policy. */
  readonly results: readonly BacktestRow[]
}
