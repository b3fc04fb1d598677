import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { ALL_GUARDS, judgementMicroseconds, stuckState } from '../guard-rounds.ts'
import { median } from '../median.ts'
import { significant, spread } from '../wording.ts'

const EARLY = 10
const LATE = 10_000
const ROUNDS = 25

/** Whether the guards take as long for the ten thousandth iteration as for the tenth. */
export const guardsFlat: Figure = {
  name: 'guards-flat',
  bound: atMost(1.5),
  measure: async (say) => {
    say(`folding runs of ${EARLY} and ${LATE} iterations`)
    const [early, late] = [stuckState(EARLY), stuckState(LATE)]
    judgementMicroseconds(early)
    judgementMicroseconds(late)
    say(`${ALL_GUARDS.length} guards on both in turn, ${ROUNDS} times`)
    const { ones, others, ratios, ratio } = await alternated(
      ROUNDS,
      () => judgementMicroseconds(late),
      () => judgementMicroseconds(early),
    )
    const details = [
      `${ALL_GUARDS.length} guards judge the ${LATE}th iteration in ${significant(median(ones))} µs of processor time, the ${EARLY}th in ${significant(median(others))} µs (medians).`,
      `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: ratio, details }
  },
}
