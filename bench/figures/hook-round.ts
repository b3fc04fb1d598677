import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { bareNode, boundRun, hookRound, isHookBuilt } from '../hook-rounds.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const ROUNDS = 41

/** What the hook of a tool costs on a bound run, its durable write included, above starting Node with nothing to do. */
export const hookRoundFigure: Figure = {
  name: 'hook-round',
  bound: atMost(2),
  measure: async (say) => {
    if (!isHookBuilt)
      return { status: 'unmeasured', reason: 'Pawl is not built: `npm run bench` builds it first, or run `npm run build`.' }
    const project = await boundRun(10)
    try {
      say(`\`pawl hook claude\` after a tool and \`node -e 0\` in turn, ${ROUNDS} times`)
      const { ones, others, ratios, ratio } = await alternated(ROUNDS, (round) => hookRound(project, round), bareNode)
      const acted = (await project.events('bench')).filter((type) => type === 'work.acted').length
      if (acted !== ROUNDS + 1) throw new Error(`Of ${ROUNDS + 1} hooks only ${acted} wrote their fact.`)
      const details = [
        `The hook takes ${milliseconds(median(ones))}, \`node -e 0\` takes ${milliseconds(median(others))} (medians). The end of a turn also looks at the workspace and runs the checks, which take what they take.`,
        `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
      ]
      return { status: 'measured', value: ratio, details }
    } finally {
      project.remove()
    }
  },
}
