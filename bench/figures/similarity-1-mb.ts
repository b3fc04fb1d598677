import { sequenceRatio } from '../../src/similarity/index.ts'
import { atMost } from '../bound.ts'
import { wholePatchPairs } from '../diff-pairs.ts'
import type { Figure } from '../figure.ts'
import { repeated } from '../repeated.ts'
import { milliseconds, significant, spread } from '../wording.ts'

const LENGTH = 2 ** 20
const PAIRS_MAX = 5
const ROUNDS = 3
const DURATION_MS_MAX = 200

/** How long the exact ratio of two real patches of 1 MB takes, as a share of the 200 ms it may. */
export const similarity1Mb: Figure = {
  name: 'similarity-1-mb',
  bound: atMost(1),
  measure: async (say) => {
    const history = await wholePatchPairs(say, LENGTH, PAIRS_MAX)
    if (history.status === 'unavailable') return { status: 'unmeasured', reason: history.reason }
    say(`${history.pairs.length} pairs of 1 MB, ${ROUNDS} times each`)
    const ratios = history.pairs.map(({ a, b }) => significant(sequenceRatio(a, b)))
    const durationsMs = history.pairs.map(({ a, b }) => repeated(ROUNDS, () => sequenceRatio(a, b)))
    const details = [
      `The whole repository as a patch at successive commits, the first 1 MB each: ${spread(durationsMs)} ms; ratios ${ratios.join(', ')}.`,
      `The value is the slowest pair by ${milliseconds(DURATION_MS_MAX)}. CPython would take hours and is not asked.`,
    ]
    return { status: 'measured', value: Math.max(...durationsMs) / DURATION_MS_MAX, details }
  },
}
