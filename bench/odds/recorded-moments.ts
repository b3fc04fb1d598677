import type { ReplayableLoop } from '../../src/core/backtest/replayable-loop.ts'
import { statesOf } from '../../src/core/backtest/replay.ts'
import { type Moment, momentOf } from '../../src/core/odds/moment.ts'
import { ODDS_KINDS, type OddsKind } from '../../src/core/odds/odds-kind.ts'
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
}

/** All recorded loops of the kinds there are odds for, replayed by the product's own fold. */
export async function recordedMoments(folder: string): Promise<readonly MomentLoop[]> {
  const loops: MomentLoop[] = []
  for await (const loop of recordedLoops(folder)) {
    const kind = ODDS_KINDS.find((each) => each === loop.kind)
    if (kind && loop.outcome) loops.push(momentLoop(loop, kind))
  }
  return loops
}

function momentLoop(loop: ReplayableLoop, kind: OddsKind): MomentLoop {
  const isSolved = loop.outcome === 'solved'
  const end = isSolved ? (loop.solvedAt ?? 0) : loop.iterations.length
  const moments: (Moment | undefined)[] = []
  for (const state of statesOf(loop)) {
    if (moments.length + 1 >= end) break
    moments.push(momentOf(state))
  }
  return { dataset: loop.dataset, kind, task: loop.task, isSolved, iterations: loop.iterations.length, moments }
}
