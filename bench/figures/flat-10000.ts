import { join } from 'node:path'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { timedRun } from '../timed-run.ts'
import { milliseconds, spread } from '../wording.ts'

const ITERATIONS = 10_000
const WARM_UP_ITERATIONS = 2000
const RUNS = 5

/** Whether an iteration late in a long run costs what an early one does. */
export const flat10000: Figure = {
  name: 'flat-10000',
  bound: atMost(1.25),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      say(`warming up with ${WARM_UP_ITERATIONS} iterations`)
      await timedRun(join(folder, 'warm-up.db'), WARM_UP_ITERATIONS)
      const early: number[] = []
      const late: number[] = []
      for (let run = 1; run <= RUNS; run++) {
        say(`run ${run} of ${RUNS}, ${ITERATIONS} iterations`)
        const durationsMs = await iterationDurations(join(folder, `run-${run}.db`))
        early.push(median(durationsMs.slice(50, 150)))
        late.push(median(durationsMs.slice(ITERATIONS - 100, ITERATIONS)))
      }
      const ratios = late.map((lateMs, index) => lateMs / (early[index] as number))
      const details = [
        `An iteration takes ${milliseconds(median(early))} between the 50th and the 150th and ${milliseconds(median(late))} among the last 100 (medians).`,
        `The value is the ratio of these medians over ${RUNS} runs; run by run it went from ${spread(ratios)}.`,
      ]
      return { status: 'measured', value: median(late) / median(early), details }
    }),
}

/** How long each iteration took, from its start to the start of the next one or the end of the run. */
async function iterationDurations(path: string): Promise<readonly number[]> {
  const moments: number[] = []
  await timedRun(path, ITERATIONS, {
    onEvent: ({ type }) => {
      if (type === 'iteration.started') moments.push(performance.now())
    },
  })
  moments.push(performance.now())
  return moments.slice(1).map((moment, index) => moment - (moments[index] as number))
}
