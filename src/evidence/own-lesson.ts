import type { ReplayableLoop } from './backtest/replayable-loop.ts'
import { statesOf } from './backtest/replay.ts'
import type { State } from '../core/state.ts'
import { type KnownOdds, oddsOf } from '../guards/odds/odds.ts'
import type { OddsKind } from '../guards/odds/odds-kind.ts'

/** What one loop says about the shipped odds: at each moment whose end is known, what they said and whether it came true. */
export interface OwnLesson {
  readonly kind: OddsKind
  readonly moments: readonly { readonly chance: number; readonly cameTrue: boolean }[]
}

/**
 * What a loop taught. A moment's end is known when the loop succeeded, when it did all the iterations that were left at that moment, or
 * when a person gave it up; so a run that used up its maximum and waits for an answer taught something too. Nothing where no moment has
 * an end, and for several tasks in one run, whose success is that of the last.
 */
export function ownLesson(loop: ReplayableLoop): OwnLesson | undefined {
  const states = [...statesOf(loop)]
  if (states.some(({ plan }) => plan !== undefined)) return undefined
  const known = states.flatMap((state, index) => {
    const odds = oddsOf(state)
    const cameTrue = odds?.status === 'known' ? outcomeAfter(loop, states, index, odds) : undefined
    return odds?.status === 'known' && cameTrue !== undefined ? [{ kind: odds.kind, chance: odds.chance, cameTrue }] : []
  })
  const [first] = known
  return first && { kind: first.kind, moments: known.map(({ chance, cameTrue }) => ({ chance: shortened(chance), cameTrue })) }
}

/** Whether the loop succeeded in the iterations that were left after the one at `index`; nothing where nobody knows. */
function outcomeAfter(
  { outcome, solvedAt = 0 }: ReplayableLoop,
  states: readonly State[],
  index: number,
  { chanceWithin }: KnownOdds,
): boolean | undefined {
  const iteration = index + 1
  const lastAllowed = iteration + chanceWithin.length
  if (outcome === 'solved') return iteration < solvedAt ? solvedAt <= lastAllowed : undefined
  if (states.length === iteration) return undefined
  if (outcome === 'failed') return false
  const hasPassed = states.slice(iteration, lastAllowed).some(({ current }) => current.ended?.verdict.passed === true)
  return states.length >= lastAllowed && !hasPassed ? false : undefined
}

/** It is kept as text, and more digits say nothing more. */
function shortened(chance: number): number {
  return Number(chance.toPrecision(6))
}
