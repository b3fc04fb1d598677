import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { ledgerRun } from '../ledger-run.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const ITERATIONS = 50
const RUNS = 3

/** What an iteration may cost. */
const ALLOWED_MS = 100

/** The share of the 100 ms that the ledger of 10,000 tests and its feedback may take in an iteration. */
export const ledgerCost: Figure = {
  name: 'ledger-cost',
  bound: atMost(1),
  measure: (say) => {
    say(`10,000 tests over ${ITERATIONS} iterations, ${RUNS} times`)
    const runs = Array.from({ length: RUNS }, () => ledgerRun(ITERATIONS))
    const medians = runs.map((durationsMs) => median(durationsMs))
    const worstMs = Math.max(...runs.flat())
    const details = [
      `An iteration takes ${milliseconds(median(medians))} of processor time in the middle and ${milliseconds(worstMs)} at worst, the first one with it.`,
      `The value is the middle one against ${ALLOWED_MS} ms; run by run it went from ${spread(medians.map((ms) => ms / ALLOWED_MS))}.`,
    ]
    return Promise.resolve({ status: 'measured', value: median(medians) / ALLOWED_MS, details })
  },
}
