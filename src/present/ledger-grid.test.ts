import { expect, it } from 'vitest'
import type { CheckEnded } from '../core/event-data.ts'
import type { Event } from '../core/event.ts'
import type { TestOutcome } from '../core/failure.ts'
import { ledgerGrid } from './ledger-grid.ts'

type Changed = readonly (readonly [string, TestOutcome])[]

/** A check's result in an iteration: the tests that changed, those that are gone, and how many it ran in all. */
function ended(iteration: number, changed: Changed, ran: number, gone: readonly string[] = []): Event {
  const data: Partial<CheckEnded> = {
    key: `${iteration}/check/0`,
    name: 'tests',
    counts: { passed: ran, failed: 0, skipped: 0 },
    tests: { changed, gone },
  }
  return { type: 'check.failed', data } as unknown as Event
}

function errored(iteration: number): Event {
  return { type: 'check.errored', data: { key: `${iteration}/check/0`, name: 'tests' } } as unknown as Event
}

it('CLI-217 the grid has a row for each test that did not simply pass, and a cell for each iteration', () => {
  const events = [
    ended(
      0,
      [
        ['adds', 'failed'],
        ['halves', 'passed'],
        ['doubles', 'passed'],
        ['rounds', 'passed'],
      ],
      4,
    ),
    ended(
      1,
      [
        ['adds', 'passed'],
        ['halves', 'skipped'],
      ],
      4,
    ),
    errored(2),
    ended(3, [['squares', 'failed']], 3, ['halves', 'doubles']),
    ended(4, [['squares', 'passed']], 3),
  ]
  const grid = ledgerGrid(events)
  expect(grid).toEqual({
    iterations: [0, 1, 2, 3, 4],
    steady: 1,
    rows: [
      { check: 'tests', test: 'adds', cells: ['failed', 'passed', 'not run', 'passed', 'passed'] },
      { check: 'tests', test: 'halves', cells: ['passed', 'not run', 'not run', 'vanished', 'vanished'] },
      { check: 'tests', test: 'doubles', cells: ['passed', 'passed', 'not run', 'vanished', 'vanished'] },
      { check: 'tests', test: 'squares', cells: [null, null, null, 'failed', 'passed'], newIn: 3 },
    ],
  })
  expect(JSON.parse(JSON.stringify(grid))).toEqual(grid)
})

it('CLI-217 in a report that names only failures, a test that is named late is not a new one', () => {
  const { rows, steady } = ledgerGrid([
    ended(0, [['adds', 'failed']], 40),
    ended(
      1,
      [
        ['adds', 'passed'],
        ['halves', 'failed'],
      ],
      40,
    ),
  ])
  expect(rows.map(({ test, cells, newIn }) => [test, cells, newIn])).toEqual([
    ['adds', ['failed', 'passed'], undefined],
    ['halves', [null, 'failed'], undefined],
  ])
  expect(steady).toBe(0)
})

it('CLI-217 a check that runs again in an iteration counts with its last result', () => {
  const { rows } = ledgerGrid([
    ended(0, [['adds', 'failed']], 1),
    ended(1, [['adds', 'passed']], 1),
    ended(1, [['adds', 'failed']], 1),
  ])
  expect(rows[0]?.cells).toEqual(['failed', 'failed'])
})
