import type { Policy } from '../../src/evidence/backtest/policy.ts'
import type { ReplayableLoop } from '../../src/evidence/backtest/recorded-loop.ts'
import { replay, statesOf } from '../../src/evidence/backtest/replay.ts'
import { type Moment, momentOf } from '../../src/guards/odds/moment.ts'
import { ODDS_KINDS, type OddsKind } from '../../src/guards/odds/odds-data.ts'
import { recordedLoops } from '../recorded-loops.ts'

/** A recorded loop as the odds see it. */
export interface MomentLoop {
  readonly dataset: string
  readonly kind: OddsKind
  readonly task: string
  readonly isSolved: boolean
  readonly iterations: number
  /**
   * The moments at which it could have been given up, by iteration: those before its success, or before its last iteration. Nothing
   * where the odds have nothing to say.
   */
  readonly moments: readonly (Moment | undefined)[]
  /**
   * Its state after its last iteration, if it failed and had iterations left. It could have continued, and nobody knows how that would
   * have ended: so it is neither learned from nor given up there.
   */
  readonly lastMoment: Moment | undefined
  /** By policy: the iteration at which it would have ended the loop, if any. */
  readonly stops: readonly (number | undefined)[]
}

/** All recorded loops of the kinds there are odds for, replayed by the product's own fold; with what policies would have done to them. */
export async function recordedMoments(folder: string, policies: readonly Policy[] = []): Promise<readonly MomentLoop[]> {
  const loops: MomentLoop[] = []
  for await (const loop of recordedLoops(folder)) {
    const kind = ODDS_KINDS.find((each) => each === loop.kind)
    if (kind && loop.outcome) loops.push(momentLoop(loop, kind, policies))
  }
  return loops
}

function momentLoop(loop: ReplayableLoop, kind: OddsKind, policies: readonly Policy[]): MomentLoop {
  const isSolved = loop.outcome === 'solved'
  const end = isSolved ? (loop.solvedAt ?? 0) : loop.iterations.length
  const moments: (Moment | undefined)[] = []
  let lastMoment: Moment | undefined
  for (const state of statesOf(loop)) {
    if (moments.length + 1 < end) moments.push(momentOf(state))
    else {
      lastMoment = isSolved ? undefined : momentOf(state)
      break
    }
  }
  const stops = policies.length === 0 ? [] : replay(loop, policies).map((stop) => stop?.iteration)
  const { dataset, task, iterations } = loop
  return { dataset, kind, task, isSolved, iterations: iterations.length, moments, lastMoment, stops }
}
