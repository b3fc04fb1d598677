import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { ledgerRun } from '../ledger-run.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const ITERATIONS = 52
const RUNS = 5

/** Whether the ledger of 10,000 tests and its feedback cost at iteration 50 what they cost at iteration 5. */
export const ledgerFlat: Figure = {
  name: 'ledger-flat',
  bound: atMost(1.5),
  measure: (say) => {
    say(`10,000 tests over ${ITERATIONS} iterations, ${RUNS} times, after one to warm up`)
    const runs = Array.from({ length: RUNS + 1 }, () => ledgerRun(ITERATIONS)).slice(1)
    const early = runs.map((durationsMs) => median(durationsMs.slice(2, 7)))
    const late = runs.map((durationsMs) => median(durationsMs.slice(47, 52)))
    const ratios = late.map((lateMs, index) => lateMs / (early[index] as number))
    const details = [
      `An iteration takes ${milliseconds(median(early))} of processor time around the 5th and ${milliseconds(median(late))} around the 50th (medians).`,
      `The value is the median of the ratios of ${RUNS} runs, which went from ${spread(ratios)}.`,
    ]
    return Promise.resolve({ status: 'measured', value: median(ratios), details })
  },
}
