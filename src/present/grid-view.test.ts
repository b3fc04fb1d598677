import { expect, test } from 'vitest'
import { fateOf, gridView } from './grid-view.ts'
import type { LedgerCell, LedgerRow } from './ledger-grid.ts'

const LETTERS: Readonly<Record<string, LedgerCell>> = { p: 'passed', f: 'failed', n: 'not run', v: 'vanished', '.': null }

function row(name: string, cells: string, newIn?: number): LedgerRow {
  return {
    check: 'tests',
    test: name,
    cells: [...cells].map((letter) => LETTERS[letter] ?? null),
    ...(newIn === undefined ? {} : { newIn }),
  }
}

test.each([
  ['fff', undefined, 'persisting'],
  ['ffp', undefined, 'fixed'],
  ['.ppp', 1, 'new'],
  ['.fp', 1, 'fixed'],
  ['ppf', undefined, 'broken'],
  ['fpfp', undefined, 'flapping'],
  ['fpv', undefined, 'vanished'],
  ['pnn', undefined, 'other'],
])('SERVE-4 a test whose results are %s (new in %s) is %s', (cells, newIn, fate) => {
  expect(fateOf(row('a test', cells, newIn))).toBe(fate)
})

test('SERVE-4 the grid comes in parts, failing tests first, with the columns that were asked for', () => {
  const rows = [row('one', 'ffp'), row('two', 'fff'), row('three', 'ppf'), row('Login', 'ffp')]
  const grid = { iterations: [0, 1, 2], rows, steady: 7 }
  const first = gridView('run', grid, { offset: 0, limit: 3, from: 1 })
  expect(first).toMatchObject({ iterations: [1, 2], total: 4, next: 3, steady: 7, fates: { fixed: 2, persisting: 1, broken: 1 } })
  expect(first.rows.map(({ test: name, cells }) => [name, cells])).toEqual([
    ['three', 'pf'],
    ['two', 'ff'],
    ['one', 'fp'],
  ])
  const second = gridView('run', grid, { offset: 3, limit: 3 })
  expect(second.rows.map(({ test: name }) => name)).toEqual(['Login'])
  expect(second.next).toBeUndefined()
  expect(gridView('run', grid, { offset: 0, limit: 9, fate: 'fixed', search: 'LOG' }).rows.map(({ test: name }) => name)).toEqual(
    ['Login'],
  )
})
