import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { boundRun, hookRound, isHookBuilt } from '../hook-rounds.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const SHORT = 10
const LONG = 10_000
const ROUNDS = 31

/** Whether the hook costs at iteration 10,000 what it costs at iteration 10. */
export const hook10000: Figure = {
  name: 'hook-10000',
  bound: atMost(1.15),
  measure: async (say) => {
    if (!isHookBuilt)
      return { status: 'unmeasured', reason: 'Pawl is not built: `npm run bench` builds it first, or run `npm run build`.' }
    say(`bound runs of ${SHORT} and of ${LONG} iterations`)
    const projects = [await boundRun(SHORT), await boundRun(LONG)] as const
    try {
      say(`the hook of a tool on each in turn, ${ROUNDS} times`)
      const { ones, others, ratios, ratio } = await alternated(
        ROUNDS,
        (round) => hookRound(projects[1], round),
        (round) => hookRound(projects[0], round),
      )
      const details = [
        `The hook takes ${milliseconds(median(others))} at iteration ${SHORT}, ${milliseconds(median(ones))} at ${LONG} (medians).`,
        `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
      ]
      return { status: 'measured', value: ratio, details }
    } finally {
      for (const project of projects) project.remove()
    }
  },
}
