import { sequenceRatio } from '../../src/similarity/index.ts'
import { atLeast } from '../bound.ts'
import { diffPairs } from '../diff-pairs.ts'
import { difflibRatio } from '../difflib-ratio.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { repeated } from '../repeated.ts'
import { sampled } from '../sampled.ts'
import { milliseconds, spread } from '../wording.ts'

const LENGTH_MIN = 4 * 1024
const LENGTH_MAX = 16 * 1024
const PAIRS = 21
const ROUNDS = 5

/** How much faster the exact ratio of two real diffs of 4 to 16 KB is than CPython's. */
export const similaritySpeed: Figure = {
  name: 'similarity-speed',
  bound: atLeast(100),
  measure: async (say) => {
    const history = await diffPairs(say)
    if (history.status === 'unavailable') return { status: 'unmeasured', reason: history.reason }
    const fitting = history.pairs.filter(({ a, b }) => [a, b].every(({ length }) => length >= LENGTH_MIN && length <= LENGTH_MAX))
    if (fitting.length === 0) return { status: 'unmeasured', reason: 'no two diffs in the history have 4 to 16 KB.' }
    const pairs = sampled(fitting, PAIRS)
    say(`${pairs.length} pairs of 4 to 16 KB, Pawl and CPython in turn (some 20 seconds)`)
    const ours: number[] = []
    const theirs: number[] = []
    let python = ''
    for (const pair of pairs) {
      const peer = await difflibRatio(pair)
      if (peer === undefined) return { status: 'unmeasured', reason: 'there is no python3 on the PATH to compare with.' }
      if (peer.ratio !== sequenceRatio(pair.a, pair.b)) throw new Error(`CPython says ${peer.ratio}, Pawl says otherwise.`)
      ours.push(repeated(ROUNDS, () => sequenceRatio(pair.a, pair.b)))
      theirs.push(peer.durationMs)
      python = peer.python
    }
    const ratios = theirs.map((durationMs, index) => durationMs / (ours[index] as number))
    const details = [
      `Of ${pairs.length} pairs of real diffs: Pawl ${milliseconds(median(ours))}, CPython ${python} ${milliseconds(median(theirs))} (medians), autojunk off, the same ratio for every pair.`,
      `The value is the median of the ratios, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: median(ratios), details }
  },
}
