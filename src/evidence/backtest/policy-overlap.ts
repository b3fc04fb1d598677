import type { Policy } from './policy.ts'
import { replay } from './replay.ts'
import type { ReplayableLoop } from './replayable-loop.ts'

/** How many iterations of failed loops a policy avoids beyond the present one: by itself, and beside the policies before it. */
export interface AvoidedBeside {
  readonly alone: number
  readonly beside: number
}

/** Counts loop by loop what policies avoid together: those that end the same loops at the same place save the iterations once. */
export interface PolicyOverlap {
  add(loop: ReplayableLoop): void
  /** One for each policy but the first, in their order. */
  avoided(): readonly AvoidedBeside[]
}

/** Begins to count what `others`, one added to the next, avoid beyond `now`. */
export function policyOverlap(now: Policy, others: readonly Policy[]): PolicyOverlap {
  const sums = others.map(() => ({ alone: 0, beside: 0 }))
  return {
    add: (loop) => {
      if (loop.outcome !== 'failed') return
      const stops = replay(loop, [now, ...others])
      const [end = 0, ...ends] = stops.map((stop) => stop?.iteration ?? loop.iterations.length)
      let earliest = end
      for (const [index, sum] of sums.entries()) {
        const other = ends[index] ?? end
        sum.alone += Math.max(0, end - other)
        sum.beside += Math.max(0, earliest - other)
        earliest = Math.min(earliest, other)
      }
    },
    avoided: () => sums,
  }
}
