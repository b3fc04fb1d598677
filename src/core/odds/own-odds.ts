import type { ReplayableLoop } from '../backtest/replayable-loop.ts'
import { statesOf } from '../backtest/replay.ts'
import { momentOf } from './moment.ts'
import { type Odds, oddsAt } from './odds.ts'
import { ODDS_KINDS, type OddsKind } from './odds-kind.ts'

/** By kind: how far one's own loops move the odds (a shift of the logit), and how many loops that rests on. */
export type OwnOdds = Readonly<Partial<Record<OddsKind, OwnShift>>>

export interface OwnShift {
  readonly loops: number
  readonly shift: number
}

/**
 * Learns from one's own loops that are over: how much better or worse they ended than the shipped odds said. Bayesian: the shift is taken
 * to be none with the weight of `PRIOR_LOOPS` uncertain loops, so a few loops move it little and many as far as they say. A loop weighs
 * as one, however many moments it had, and the order of the loops does not matter.
 */
export function ownOdds(loops: Iterable<ReplayableLoop>): OwnOdds {
  const samples: Record<OddsKind, Sample[]> = { attempts: [], turns: [] }
  const counts: Record<OddsKind, number> = { attempts: 0, turns: 0 }
  for (const loop of loops) {
    const moments = momentsIn(loop)
    for (const { kind, chance } of moments) {
      samples[kind].push({
        margin: Math.log(chance / (1 - chance)),
        yes: Number(loop.outcome === 'solved'),
        weight: 1 / moments.length,
      })
    }
    const [first] = moments
    if (first) counts[first.kind]++
  }
  return Object.fromEntries(
    ODDS_KINDS.filter((kind) => counts[kind] > 0).map((kind) => [kind, { loops: counts[kind], shift: shiftOf(samples[kind]) }]),
  )
}

interface Sample {
  readonly margin: number
  readonly yes: number
  readonly weight: number
}

/** The moments of a loop that were open: before its success, and before its last iteration. */
function momentsIn(loop: ReplayableLoop): readonly Extract<Odds, { status: 'known' }>[] {
  if (loop.outcome === undefined) return []
  const end = loop.outcome === 'solved' ? (loop.solvedAt ?? 0) : loop.iterations.length
  const found: Extract<Odds, { status: 'known' }>[] = []
  let iteration = 0
  for (const state of statesOf(loop)) {
    if (++iteration >= end) break
    const moment = momentOf(state)
    const odds = moment && oddsAt(moment)
    if (odds?.status === 'known') found.push(odds)
  }
  return found
}

/** An uncertain loop says most at even odds: a quarter. */
const PRIOR_LOOPS = 40
const PRIOR_WEIGHT = PRIOR_LOOPS / 4
const STEPS = 30
const SHIFT_MAX = 3

/** The most probable shift, by Newton's steps. */
function shiftOf(samples: readonly Sample[]): number {
  let shift = 0
  for (let step = 0; step < STEPS; step++) {
    let slope = -PRIOR_WEIGHT * shift
    let curve = PRIOR_WEIGHT
    for (const { margin, yes, weight } of samples) {
      const chance = 1 / (1 + Math.exp(-margin - shift))
      slope += weight * (yes - chance)
      curve += weight * chance * (1 - chance)
    }
    shift = Math.min(SHIFT_MAX, Math.max(-SHIFT_MAX, shift + slope / curve))
  }
  return Number(shift.toFixed(4))
}
