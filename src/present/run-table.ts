import { sessionWords } from '../core/bound-words.ts'
import { costCell } from './cost-cell.ts'
import { failingWords } from './iteration-table.ts'
import type { RunRow } from './run-row.ts'
import { type Screen, tableColumns } from './screen.ts'
import { paintedStatus, statusWord } from './status-words.ts'
import { fitted, padded, textWidth } from './text-layout.ts'
import { ago, shortDuration } from './times.ts'
import { tokensCell } from './tokens-cell.ts'

/** One line a run. The status says what to type next; where that leaves no room for the goal, only the verb of it. */
export function runTable(rows: readonly RunRow[], screen: Screen, now: number): readonly string[] {
  const wide = [TITLES, ...rows.map((row) => cells(row, now, true))]
  const hasRoom = tableColumns(screen) - usedBy(wide) >= GOAL_WIDTH_WANTED
  const texts = hasRoom ? wide : [TITLES, ...rows.map((row) => cells(row, now, false))]
  const goalWidth = Math.max(tableColumns(screen) - usedBy(texts), GOAL_WIDTH_MIN)
  const widths = widthsOf(texts)
  return texts.map((line, index) => {
    const row = rows[index - 1]
    const columns = line.map((text, column) => padded(text, widths[column] ?? 0, column > STATUS_COLUMN ? 'right' : 'left'))
    if (!row) return screen.paint('dim', [...columns, 'goal'].join(GAP))
    const painted = columns.map((text, column) => (column === STATUS_COLUMN ? paintedCell(row, text, screen) : text))
    return [...painted, fitted(goalCell(row), goalWidth)].join(GAP).trimEnd()
  })
}

const TITLES: readonly string[] = ['run', 'status', '#', 'failing', 'cost', 'time', 'touched']
const STATUS_COLUMN = 1
const GAP = '  '
const GOAL_WIDTH_WANTED = 24
const GOAL_WIDTH_MIN = 10

/** What research shows where other runs show what fails. */
const RESEARCH = { FULL: 'full', PARTIAL: 'partial', not_converged: 'open' } as const

function cells(row: RunRow, now: number, isWide: boolean): readonly string[] {
  return [
    row.run,
    statusCell(row, isWide),
    String(row.iterations),
    failingCell(row),
    spentCell(row),
    shortDuration(row.activeMs),
    ago(row.updatedAt, now),
  ]
}

/** Many agents tell only how many tokens they took. */
function spentCell(row: RunRow): string {
  return row.costUsd === undefined && row.tokens !== undefined ? `${tokensCell(row)} tokens` : costCell(row)
}

function failingCell({ research, isImported, failingFirst, failingLast, notRun }: RunRow): string {
  if (research !== undefined) return RESEARCH[research]
  return isImported && failingLast === undefined ? 'not checked' : failingWords(failingFirst, failingLast, notRun)
}

/** `escalated - pawl answer fix-login`, or `escalated (answer)`; `bound - session 5f0e of claude`, or `bound (claude)`. */
function statusCell({ status, isHeld, isImported, bound, command }: RunRow, isWide: boolean): string {
  if (isImported) return 'imported'
  const word = status === 'damaged' ? status : statusWord(status, isHeld, bound !== undefined)
  if (command === undefined && bound) return isWide ? `${word} - ${shortSession(bound)}` : `${word} (${bound.agent})`
  if (command === undefined) return word
  return isWide ? `${word} - ${command}` : `${word} (${command.split(' ')[1]})`
}

/** Names of sessions are long, and their first letters tell them apart. */
function shortSession({ agent, session }: NonNullable<RunRow['bound']>): string {
  return sessionWords({
    agent,
    session: session.length <= SESSION_WIDTH_MAX ? session : `${session.slice(0, SESSION_WIDTH_MAX - 1)}…`,
  })
}

const SESSION_WIDTH_MAX = 13

function goalCell({ goal, problem, tasks, tasksDone = 0 }: RunRow): string {
  const done = tasks === undefined ? '' : `[${tasksDone}/${tasks}] `
  return `${done}${goal ?? problem ?? ''}`
}

function widthsOf(texts: readonly (readonly string[])[]): readonly number[] {
  return TITLES.map((_, column) => Math.max(...texts.map((row) => textWidth(row[column] ?? ''))))
}

function usedBy(texts: readonly (readonly string[])[]): number {
  return widthsOf(texts).reduce((sum, width) => sum + width + GAP.length, 0)
}

function paintedCell({ status }: RunRow, text: string, screen: Screen): string {
  return status === 'damaged' ? screen.paint('red', text) : paintedStatus(status, text, screen)
}
