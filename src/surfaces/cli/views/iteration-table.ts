import { counted, money } from '../../../core/wording.ts'
import type { IterationView } from './iteration-view.ts'
import type { Screen } from './screen.ts'
import { fitted, padded } from './text-layout.ts'
import { shortDuration } from './times.ts'

/** One line an iteration, the best one marked. Of a long run the first few and the last 20, and how many were left out. */
export function iterationTable(
  iterations: readonly IterationView[],
  best: number | undefined,
  screen: Screen,
): readonly string[] {
  if (iterations.length === 0) return []
  const isLong = iterations.length > FIRST_COUNT + LAST_COUNT
  const first = isLong ? iterations.slice(0, FIRST_COUNT) : iterations
  const last = isLong ? iterations.slice(-LAST_COUNT) : []
  const titles = iterations.some(({ task }) => task !== undefined) ? ['task', ...TITLES] : TITLES
  const rows = [...first, ...last].map((iteration) => cells(iteration, best).slice(-titles.length))
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((texts) => texts[column]?.length ?? 0)))
  const lines = [...first, ...last].map((iteration, index) => line(rows[index] ?? [], widths, iteration, screen))
  const leftOut = iterations.length - FIRST_COUNT - LAST_COUNT
  const gap = isLong ? [screen.paint('dim', `  … ${counted(leftOut, 'iteration')} left out; --json has them all`)] : []
  return [
    screen.paint('dim', row(titles, widths, 'the agent said')),
    ...lines.slice(0, first.length),
    ...gap,
    ...lines.slice(first.length),
  ]
}

const FIRST_COUNT = 3
const LAST_COUNT = 20
const TITLES: readonly string[] = ['#', 'verdict', 'failing', 'files', 'time', 'cost']
const TASK_WIDTH_MAX = 16
const SAID_WIDTH_MIN = 12

function cells(
  { iteration, task, attempt, verdict, failingBefore, filesChanged, durationMs, costUsd }: IterationView,
  best: number | undefined,
): readonly string[] {
  return [
    task === undefined ? '' : `${fitted(task, TASK_WIDTH_MAX)} (${attempt})`,
    `${iteration === best ? '*' : ''}${iteration}`,
    verdict === undefined ? 'open' : verdict.passed ? 'passed' : 'failed',
    failingWords(failingBefore, verdict?.failing),
    filesChanged === undefined ? '' : String(filesChanged),
    durationMs === undefined ? '' : shortDuration(durationMs),
    costUsd === undefined || costUsd === 0 ? '' : money(costUsd),
  ]
}

/** "3 -> 1"; "?" where it was not measured. */
export function failingWords(before: number | undefined, after: number | undefined): string {
  if (before === undefined && after === undefined) return ''
  return `${before ?? '?'} -> ${after ?? '?'}`
}

function line(
  texts: readonly string[],
  widths: readonly number[],
  { said = '', verdict }: IterationView,
  screen: Screen,
): string {
  const used = 2 + widths.reduce((sum, width) => sum + width + 2, 0)
  const text = row(texts, widths, fitted(said, Math.max(screen.columns - used, SAID_WIDTH_MIN)))
  if (verdict === undefined) return text
  return text.replace(verdict.passed ? 'passed' : 'failed', (word) => screen.paint(verdict.passed ? 'green' : 'red', word))
}

/** Numbers stand to the right, words to the left: the task, where there is one, and the verdict. */
function row(texts: readonly string[], widths: readonly number[], said: string): string {
  const verdictColumn = texts.length - TITLES.length + 1
  const isWord = (column: number): boolean => column === verdictColumn || column === verdictColumn - 2
  const columns = texts.map((text, column) => padded(text, widths[column] ?? 0, isWord(column) ? 'left' : 'right'))
  return `  ${columns.join('  ')}  ${said}`.trimEnd()
}
