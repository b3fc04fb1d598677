import { defined } from '../core/defined.ts'
import type { LedgerCell, LedgerGrid, LedgerRow } from './ledger-grid.ts'

/** What became of a test: whether it was fixed, is new, still fails, comes and goes, or is gone. */
export type TestFate = 'fixed' | 'new' | 'persisting' | 'broken' | 'flapping' | 'vanished' | 'other'

/** A part of the tests by iterations. */
export interface GridView {
  readonly run: string
  /** The iterations of the columns; 0 is the look before any work. */
  readonly iterations: readonly number[]
  readonly rows: readonly GridRow[]
  /** How many rows the filters leave, and how many there are of each fate before that. */
  readonly total: number
  readonly fates: Readonly<Record<TestFate, number>>
  /** How many tests passed each time: they have no row. */
  readonly steady: number
  /** Where the next part begins; absent at the end. */
  readonly next?: number
}

export interface GridRow {
  readonly check: string
  readonly test: string
  readonly fate: TestFate
  /** One letter for each iteration: p passed, f failed, n not run, v vanished, `.` not known yet. */
  readonly cells: string
  readonly newIn?: number
}

export interface GridQuery {
  readonly fate?: TestFate
  readonly search?: string
  /** The first and the last iteration of the columns. */
  readonly from?: number
  readonly to?: number
  readonly offset: number
  readonly limit: number
}

/** The part of the grid that was asked for. Failing tests come first. */
export function gridView(run: string, { iterations, rows, steady }: LedgerGrid, query: GridQuery): GridView {
  const { fate, search, from = 0, to = Infinity, offset, limit } = query
  const columns = iterations.flatMap((iteration, index) => (iteration >= from && iteration <= to ? [index] : []))
  const judged = rows.map((row) => ({ row, fate: fateOf(row) }))
  const fates = { ...NONE }
  for (const each of judged) fates[each.fate] += 1
  const wanted = search?.toLowerCase()
  const found = judged
    .filter((each) => (fate === undefined || each.fate === fate) && (wanted === undefined || isNamed(each.row, wanted)))
    .toSorted((one, other) => ORDER.indexOf(one.fate) - ORDER.indexOf(other.fate))
  return {
    run,
    iterations: columns.map((index) => iterations[index] ?? 0),
    rows: found.slice(offset, offset + limit).map(({ row, fate: own }) => ({
      check: row.check,
      test: row.test,
      fate: own,
      cells: columns.map((index) => LETTERS[row.cells[index] ?? 'unknown']).join(''),
      ...defined({ newIn: row.newIn }),
    })),
    total: found.length,
    fates,
    steady,
    ...(offset + limit < found.length ? { next: offset + limit } : {}),
  }
}

const NONE: Record<TestFate, number> = { fixed: 0, new: 0, persisting: 0, broken: 0, flapping: 0, vanished: 0, other: 0 }
const ORDER: readonly TestFate[] = ['broken', 'persisting', 'flapping', 'vanished', 'new', 'fixed', 'other']
const LETTERS = { passed: 'p', failed: 'f', 'not run': 'n', vanished: 'v', unknown: '.' } as const

function isNamed({ check, test }: LedgerRow, wanted: string): boolean {
  return `${check} ${test}`.toLowerCase().includes(wanted)
}

/** What became of one test over all iterations. */
export function fateOf({ cells, newIn }: Pick<LedgerRow, 'cells' | 'newIn'>): TestFate {
  if (cells.at(-1) === 'vanished') return 'vanished'
  const results = cells.filter((cell): cell is 'passed' | 'failed' => isResult(cell))
  const turns = results.filter((cell, index) => index > 0 && cell !== results[index - 1]).length
  if (turns > 1) return 'flapping'
  const [first, last] = [results[0], results.at(-1)]
  if (first === 'failed' && last === 'failed') return 'persisting'
  if (first === 'failed' && last === 'passed') return 'fixed'
  if (newIn !== undefined) return 'new'
  return last === 'failed' ? 'broken' : 'other'
}

function isResult(cell: LedgerCell): boolean {
  return cell === 'passed' || cell === 'failed'
}
