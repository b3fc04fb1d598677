import { describe, expect, it } from 'vitest'
import { givenLoop } from '../../test/support/given-loop.ts'
import { factsOf, type ReplayableLoop } from './backtest/recorded-loop.ts'
import { type Moment, momentOf } from '../guards/odds/moment.ts'
import { statesOf } from './backtest/replay.ts'
import { oddsAt } from '../guards/odds/odds.ts'
import { oddsFromLessons, ownLesson, ownOdds } from './own-odds.ts'

const failing = { passed: false, score: 0.5, error: 'assert f(1) == 2', solution: 'x' }

function loop(isSolved: boolean, id: number, max = 10): ReplayableLoop {
  const iterations = [failing, failing, failing, isSolved ? { ...failing, passed: true, score: 1, error: null } : failing]
  const ended = isSolved ? { outcome: 'solved' as const, solved_at: 4 } : {}
  return factsOf(givenLoop(iterations, { id: `loop-${id}`, max_iterations: max, ...ended }))
}

const many = (count: number, isSolved: boolean): readonly ReplayableLoop[] =>
  Array.from({ length: count }, (_, index) => loop(isSolved, index))

function chanceWith(loops: readonly ReplayableLoop[]): number {
  const moment = [...statesOf(loop(false, 0))].map(momentOf)[1] as Moment
  const odds = oddsAt(moment, ownOdds(loops))
  return odds.status === 'known' ? odds.chance : Number.NaN
}

/** A loop of four iterations at most that nobody ended, so many of them done. */
function loopLeftOpen(count: number): ReplayableLoop {
  const { outcome: _unknown, iterations, ...rest } = loop(false, 99, 4)
  return { ...rest, iterations: iterations.slice(0, count) }
}

describe('ownOdds', () => {
  it('ODDS-10 without history the odds stay as they ship, with a little nearly so, and with much they follow it', () => {
    const shipped = chanceWith([])
    const [few, much] = [chanceWith(many(2, true)), chanceWith(many(200, true))]
    expect(few).toBeGreaterThan(shipped)
    expect(few - shipped).toBeLessThan(0.1)
    expect(much).toBeGreaterThan(3 * shipped)
    expect(chanceWith(many(200, false))).toBeLessThan(shipped)
  })

  it('ODDS-10 counts the loops, does not ask in which order they were, and passes over those that are not over', () => {
    const mixed = [...many(3, true), ...many(5, false)]
    const open = loopLeftOpen(2)
    expect(ownOdds(mixed).attempts?.loops).toBe(8)
    expect(ownOdds([...mixed].toReversed())).toEqual(ownOdds(mixed))
    expect(ownOdds([...mixed, open])).toEqual(ownOdds(mixed))
    expect(ownOdds([open])).toEqual({})
  })

  it('ODDS-20 a run that used up its iterations and waits for an answer taught as much as one that failed', () => {
    expect(ownOdds([loopLeftOpen(4)])).toEqual(ownOdds([loop(false, 0, 4)]))
    expect(ownOdds([loopLeftOpen(4)]).attempts?.shift).toBeLessThan(0)
    expect(ownOdds([loopLeftOpen(3)])).toEqual({})
  })

  it('ODDS-20 a success that came only after the iterations that were left then does not count as come true', () => {
    const solved = loop(true, 0, 4)
    const late = { ...solved, solvedAt: 9 }
    expect(ownLesson(solved)?.moments.map(({ cameTrue }) => cameTrue)).toEqual([true, true, true])
    expect(ownLesson(late)?.moments.some(({ cameTrue }) => cameTrue)).toBe(false)
  })

  it('ODDS-20 what each loop taught is all that has to be kept of it', () => {
    const loops = [...many(3, true), ...many(5, false)]
    const kept = JSON.parse(JSON.stringify(loops.map(ownLesson)))
    expect(oddsFromLessons(kept)).toEqual(ownOdds(loops))
  })
})
