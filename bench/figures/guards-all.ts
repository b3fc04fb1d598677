import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { ALL_GUARDS, judgementMicroseconds, stuckState } from '../guard-rounds.ts'
import { median } from '../median.ts'
import { significant, spread } from '../wording.ts'

const ITERATIONS = 10_000
const BURSTS = 25

/** What all guards together may take for one iteration. */
const ALLOWED_US = 50

/** The share of the 50 µs that all guards together take in an iteration. */
export const guardsAll: Figure = {
  name: 'guards-all',
  bound: atMost(1),
  measure: (say) => {
    say(`${ALL_GUARDS.length} guards on a run of ${ITERATIONS} iterations that gets nowhere, ${BURSTS} bursts`)
    const state = stuckState(ITERATIONS)
    judgementMicroseconds(state)
    const times = Array.from({ length: BURSTS }, () => judgementMicroseconds(state))
    const details = [
      `${ALL_GUARDS.length} guards, most of which hold, judge an iteration in ${significant(median(times))} µs of processor time.`,
      `The value is the median of ${BURSTS} bursts against ${ALLOWED_US} µs; burst by burst it went from ${spread(times.map((time) => time / ALLOWED_US))}.`,
    ]
    return Promise.resolve({ status: 'measured', value: median(times) / ALLOWED_US, details })
  },
}
