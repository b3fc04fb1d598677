import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../../test/support/given-loop.ts'
import { maxIterations, sameFailure } from '../../guards/index.ts'
import { backtest, type BacktestRow } from './backtest.ts'
import { builtInPolicies } from './policy.ts'
import { factsOf, type RecordedLoop } from './recorded-loop.ts'

const no: GivenIteration = { passed: false, error: 'no' }
const yes: GivenIteration = { passed: true }

const policies = [
  { name: 'none', guards: [] },
  { name: 'twice', guards: [sameFailure({ repeatsMin: 2, severity: 'trip' })] },
  { name: 'maximum 3', guards: [maxIterations(3)] },
]

/** Two failed loops of 4 and 6 iterations and two solved ones, the first at 2, the second at 4. */
const loops = [
  givenLoop([no, no, no, no], { id: 'a', task: 'one' }),
  givenLoop([{ ...no, error: '1' }, { ...no, error: '2' }, no, { ...no, error: '3' }, no, no], { id: 'b', task: 'two' }),
  givenLoop([no, yes], { id: 'c', task: 'one', outcome: 'solved', solved_at: 2 }),
  givenLoop([no, no, no, yes], { id: 'd', task: 'three', outcome: 'solved', solved_at: 4 }),
]

function rowsOf(given: readonly RecordedLoop[]): readonly BacktestRow[] {
  const tried = backtest(policies)
  for (const loop of given) tried.add(factsOf(loop))
  return tried.rows()
}

describe('backtest', () => {
  it('BACK-15 counts the iterations avoided in failed loops and the successes lost, as a person would by hand', () => {
    const [none, twice, maximum] = rowsOf(loops) as [BacktestRow, BacktestRow, BacktestRow]
    expect(none).toMatchObject({ policy: 'none', avoided: 0, lost: 0, counts: { stops: 0, iterationsFailed: 10, solved: 2 } })
    // Loop a ends at 2 and saves 2, loop b at its last and saves none; loop d would have been solved at 4.
    expect(twice).toMatchObject({ avoided: 0.2, lost: 0.5, counts: { iterationsAvoided: 2, successesLost: 1, stops: 3 } })
    // 1 of 4 and 3 of 6; d is lost again.
    expect(maximum).toMatchObject({ avoided: 0.4, lost: 0.5, counts: { iterationsAvoided: 4, loops: 4, tasks: 3, failed: 2 } })
  })

  it('BACK-15 a stop at the iteration of the success, or after it, loses nothing', () => {
    const late = givenLoop([no, no, { ...no, error: 'other' }], { outcome: 'solved', solved_at: 2 })
    expect(rowsOf([late])[1]).toMatchObject({ lost: 0, counts: { stops: 1, successesLost: 0 } })
  })

  it('BACK-16 says where each guard ended loops, by iteration, and how many successes that cost', () => {
    expect(rowsOf(loops)[1]?.guards).toEqual([{ guard: 'sameFailure', stops: 3, lost: 1, byIteration: { 2: 2, 6: 1 } }])
  })

  it('BACK-17 counts money saved in failed loops where their cost is known, and says nothing where it is not', () => {
    const paid = givenLoop([no, no, no].map((each, index) => ({ ...each, cost: index + 1 })))
    const free = givenLoop([no, no, no], { id: 'free' })
    expect(rowsOf([paid, free])[1]).toMatchObject({ costUsdSaved: 3, counts: { costUsdFailed: 6, failedWithCost: 1 } })
    expect(rowsOf([free])[1]?.costUsdSaved).toBeNull()
  })

  it('BACK-18 kinds are never put together; datasets of one kind have rows of their own and rows together', () => {
    const rows = rowsOf([
      ...loops,
      givenLoop([no, no, no], { id: 'e', dataset: 'other' }),
      givenLoop([no, no, no], { id: 'f', kind: 'turns' }),
    ])
    const groups = [...new Set(rows.map(({ kind, dataset }) => `${kind} ${dataset ?? '*'}`))]
    expect(groups).toEqual(['attempts *', 'attempts given', 'attempts other', 'turns given'])
    const all = rows.find(({ policy, dataset }) => policy === 'twice' && dataset === null)
    expect(all).toMatchObject({ avoided: 3 / 13, counts: { loops: 5, tasks: 4 } })
  })

  it('BACK-19 a loop whose outcome nobody knows is replayed and counts neither way', () => {
    const unknown = givenLoop([no, no, no], { outcome: null })
    expect(rowsOf([unknown])[1]).toMatchObject({
      avoided: null,
      lost: null,
      avoidedInterval: null,
      counts: { stops: 1, loops: 1 },
    })
  })

  it('BACK-20 intervals are drawn by task, hold the share, and are the same every time', () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      givenLoop(index % 4 === 0 ? [no, { ...no, error: 'other' }] : [no, no, no, no], {
        id: `loop ${index}`,
        task: `task ${index % 20}`,
      }),
    )
    const row = rowsOf(many)[1] as BacktestRow
    const [low, high] = row.avoidedInterval as readonly [number, number]
    expect(row.avoided).toBeCloseTo(60 / 140)
    expect(low).toBeGreaterThan(0.3)
    expect(low).toBeLessThan(row.avoided as number)
    expect(high).toBeGreaterThan(row.avoided as number)
    expect(rowsOf(many)).toEqual(rowsOf(many))
    // Forty loops at one task are one observation: nothing can be said about others.
    expect(rowsOf(many.map((loop) => ({ ...loop, task: 'one' })))[1]?.avoidedInterval).toBeNull()
  })

  it('BACK-21 without a policy the defaults and all guards deciding are tried, with the maximum of the recorded loop', () => {
    const { defaults, all } = builtInPolicies()
    const severities = (guards: typeof all.guards) => new Set(guards.map(({ spec }) => spec.severity))
    expect(severities(defaults.guards)).toEqual(new Set(['trip', 'warn']))
    expect(severities(all.guards)).toEqual(new Set(['trip']))
    expect([...defaults.guards, ...all.guards].map(({ spec }) => spec.name)).not.toContain('maxIterations')
  })
})
