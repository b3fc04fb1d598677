import { counted } from '../core/wording.ts'
import { costCell } from './cost-cell.ts'
import type { IterationView } from './iteration-view.ts'
import { type Screen, tableColumns } from './screen.ts'
import { fitted, padded, textWidth } from './text-layout.ts'
import { shortDuration } from './times.ts'
import { tokensCell } from './tokens-cell.ts'

/**
 * One line an iteration, the best one marked. Of a long run the first few and the last 20, and how many were left out. The task, the
 * agent and tokens have a column where there are several, another one or any, and the screen has room; before these what the agent said is
 * left out, which says nothing in a few columns.
 */
export function iterationTable(
  iterations: readonly IterationView[],
  best: number | undefined,
  screen: Screen,
): readonly string[] {
  if (iterations.length === 0) return []
  const isLong = iterations.length > FIRST_COUNT + LAST_COUNT
  const first = isLong ? iterations.slice(0, FIRST_COUNT) : iterations
  const last = isLong ? iterations.slice(-LAST_COUNT) : []
  const widthMax = tableColumns(screen)
  const columns = fittedColumns([...first, ...last], iterations, best, widthMax)
  const saidWidth = saidWidthBeside(columns, widthMax)
  const lines = [...first, ...last].map((iteration, index) => line(columns, index, iteration, saidWidth, screen.paint))
  const leftOut = iterations.length - FIRST_COUNT - LAST_COUNT
  const gap = isLong ? [screen.paint('dim', `  … ${counted(leftOut, 'iteration')} left out; --json has them all`)] : []
  return [
    screen.paint(
      'dim',
      row(
        columns.map((column) => padded(column.title, column.width, column.side)),
        saidWidth === 0 ? '' : 'the agent said',
      ),
    ),
    ...lines.slice(0, first.length),
    ...gap,
    ...lines.slice(first.length),
  ]
}

/** "3 -> 1"; "?" where it was not measured; "4 -> 1, 3 not run" where tests did not run that ran at first. */
export function failingWords(before: number | undefined, after: number | undefined, notRun?: number): string {
  if (before === undefined && after === undefined) return ''
  return `${before ?? '?'} -> ${after ?? '?'}${notRun === undefined ? '' : `, ${notRun} not run`}`
}

/** What an iteration came to, in a word or two. */
export function verdictWord({ verdict, isUnchecked }: Pick<IterationView, 'verdict' | 'isUnchecked'>): string {
  if (isUnchecked) return 'not checked'
  return verdict === undefined ? 'open' : verdict.passed ? 'passed' : 'failed'
}

/** What was failing before an iteration and after it; nothing where nobody looked. */
export function movementWords({ failingBefore, verdict, isUnchecked, notRun }: IterationView): string {
  return isUnchecked ? '' : failingWords(failingBefore, verdict?.failing, notRun)
}

const FIRST_COUNT = 3
const LAST_COUNT = 20
const NAME_WIDTH_MAX = 16
const SAID_WIDTH_MIN = 12
const GAP = '  '

interface Column {
  readonly title: string
  readonly cell: (iteration: IterationView, best: number | undefined) => string
  /** Words stand to the left, numbers to the right. */
  readonly side: 'left' | 'right'
  /** Whether a run has it; default: every run. */
  readonly isWanted?: (all: readonly IterationView[]) => boolean
  /** Left out where the screen has no room; the highest number first. */
  readonly leftOut?: number
}

const COLUMNS: readonly Column[] = [
  {
    title: 'task',
    side: 'left',
    cell: ({ task, attempt }) => (task === undefined ? '' : `${fitted(task, NAME_WIDTH_MAX)} (${attempt})`),
    isWanted: (all) => all.some(({ task }) => task !== undefined),
  },
  { title: '#', side: 'right', cell: ({ iteration }, best) => `${iteration === best ? '*' : ''}${iteration}` },
  {
    title: 'agent',
    side: 'left',
    cell: ({ workers = [] }) => fitted(workers.map(({ agent }) => agent).join(', '), NAME_WIDTH_MAX),
    isWanted: (all) => new Set(all.flatMap(({ workers = [] }) => workers.map(({ agent }) => agent))).size > 1,
    leftOut: 1,
  },
  { title: 'verdict', side: 'left', cell: verdictWord },
  { title: 'failing', side: 'right', cell: movementWords },
  { title: 'files', side: 'right', cell: ({ filesChanged }) => (filesChanged === undefined ? '' : String(filesChanged)) },
  { title: 'time', side: 'right', cell: ({ durationMs }) => (durationMs === undefined ? '' : shortDuration(durationMs)) },
  { title: 'cost', side: 'right', cell: (iteration) => (iteration.endedSeq === undefined ? '' : costCell(iteration)) },
  {
    title: 'tokens',
    side: 'right',
    cell: tokensCell,
    isWanted: (all) => all.some(({ tokens }) => tokens !== undefined),
    leftOut: 2,
  },
]

type FilledColumn = Column & { readonly texts: readonly string[]; readonly width: number }

function fittedColumns(
  shown: readonly IterationView[],
  all: readonly IterationView[],
  best: number | undefined,
  widthMax: number,
): readonly FilledColumn[] {
  const filled = COLUMNS.filter(({ isWanted }) => isWanted?.(all) ?? true).map((column): FilledColumn => {
    const texts = shown.map((iteration) => column.cell(iteration, best))
    return { ...column, texts, width: Math.max(column.title.length, ...texts.map(textWidth)) }
  })
  for (const place of [2, 1]) {
    if (usedBy(filled) <= widthMax) break
    const index = filled.findIndex(({ leftOut }) => leftOut === place)
    if (index !== -1) filled.splice(index, 1)
  }
  return filled
}

function usedBy(columns: readonly FilledColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, GAP.length)
}

/** Nothing where it would be too little, unless nothing else was there to be left out. */
function saidWidthBeside(columns: readonly FilledColumn[], widthMax: number): number {
  const width = widthMax - usedBy(columns)
  if (width >= SAID_WIDTH_MIN) return width
  return columns.some(({ leftOut }) => leftOut !== undefined) ? 0 : SAID_WIDTH_MIN
}

function line(
  columns: readonly FilledColumn[],
  index: number,
  iteration: IterationView,
  saidWidth: number,
  paint: Screen['paint'],
): string {
  const { said = '', verdict } = iteration
  const cells = columns.map(({ title, texts, width, side }) => {
    const text = padded(texts[index] ?? '', width, side)
    return title === 'verdict' && verdict ? text.replace(/^\S+/, (word) => paint(verdict.passed ? 'green' : 'red', word)) : text
  })
  return row(cells, saidWidth === 0 ? '' : fitted(said, saidWidth))
}

function row(cells: readonly string[], said: string): string {
  return `${GAP}${cells.join(GAP)}${GAP}${said}`.trimEnd()
}
