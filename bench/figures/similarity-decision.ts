import { isSequenceRatioAtLeast, sequenceRatio } from '../../src/similarity/index.ts'
import { atMost } from '../bound.ts'
import { diffPairs } from '../diff-pairs.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { repeated } from '../repeated.ts'
import { sampled } from '../sampled.ts'
import { milliseconds, spread } from '../wording.ts'

const THRESHOLD = 0.97
const LENGTH_MAX = 64 * 1024
const LONG_MIN = 16 * 1024
const PAIRS = 300
const ROUNDS = 5
const DURATION_MS_MAX = 1

/** How long it takes to decide whether two real diffs of up to 64 KB are 0.97 alike, as a share of the millisecond it may. */
export const similarityDecision: Figure = {
  name: 'similarity-decision',
  bound: atMost(1),
  measure: async (say) => {
    const history = await diffPairs(say)
    if (history.status === 'unavailable') return { status: 'unmeasured', reason: history.reason }
    const fitting = history.pairs.filter(({ a, b }) => Math.max(a.length, b.length) <= LENGTH_MAX)
    const pairs = sampled(fitting, PAIRS)
    if (pairs.length === 0) return { status: 'unmeasured', reason: 'no two diffs in the history have up to 64 KB.' }
    say(`${pairs.length} pairs of up to 64 KB, ${ROUNDS} times each`)
    const timings = pairs.map(({ a, b }) => {
      const isAlike = isSequenceRatioAtLeast(a, b, THRESHOLD)
      if (isAlike !== sequenceRatio(a, b) >= THRESHOLD) throw new Error(`The decision is ${isAlike}, the ratio says otherwise.`)
      return { length: Math.max(a.length, b.length), durationMs: repeated(ROUNDS, () => isSequenceRatioAtLeast(a, b, THRESHOLD)) }
    })
    const durationsMs = timings.map(({ durationMs }) => durationMs)
    const longMs = timings.filter(({ length }) => length >= LONG_MIN).map(({ durationMs }) => durationMs)
    const details = [
      `Of ${pairs.length} pairs of real diffs: ${milliseconds(median(durationsMs))} at the median, from ${spread(durationsMs)} ms; every decision is that of the ratio.`,
      ...(longMs.length > 0
        ? [`Of the ${longMs.length} pairs of 16 to 64 KB: ${milliseconds(median(longMs))} at the median.`]
        : []),
      `The value is the median by ${milliseconds(DURATION_MS_MAX)}.`,
    ]
    return { status: 'measured', value: median(durationsMs) / DURATION_MS_MAX, details }
  },
}
