import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { maxIterations } from '../../src/guards/index.ts'

/** Nothing but a maximum: the recorded loop's own, which changes nothing, and lower ones. */
export const maximumOnly: readonly Policy[] = [
  { name: 'maximum only', guards: [], about: "The loop's own maximum and nothing else: nothing avoided, nothing lost." },
  ...[2, 3, 4, 5, 7].map((max) => ({
    name: `maximum ${max}`,
    guards: [maxIterations(max)],
    about: `No loop goes beyond iteration ${max}, unless that one passed and the loop continued anyway (one loop of aider-swe-bench did, after its third).`,
  })),
]
