import type { Policy } from '../../src/evidence/backtest/policy.ts'
import type { IterationSummary } from '../../src/core/state.ts'
import { hasFailed } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const TURNS = 3
const SIMILARITY_NEW_MAX = 0.5
const EXEMPT_MAX = 2

/** ralphctl: what fails does not get less over three turns, unless the critique or the tree is new, which exempts at most twice in a row. */
export const ralphctl: readonly Policy[] = [
  {
    name: 'ralphctl',
    about: 'The count of failures does not fall over 3 turns; a new critique or a new tree exempts at most 2 turns in a row.',
    guards: [tripWhen('ralphctl', ({ recent }) => isStalled(recent))],
    unexercised: [
      'Failed dimensions of a judge: failing tests stand for them, and where only a failure is known it counts as one.',
      'The critique of a judge: the messages of the failures stand for it.',
    ],
  },
]

function isStalled(recent: readonly IterationSummary[]): boolean {
  if (!isFlat(recent)) return false
  let exempt = 0
  for (let end = recent.length; end >= TURNS && isFlat(recent.slice(0, end)) && isExempt(recent.slice(0, end)); end--) exempt++
  return exempt === 0 || exempt > EXEMPT_MAX
}

function isFlat(recent: readonly IterationSummary[]): boolean {
  const last = recent.slice(-TURNS)
  const [first] = last
  return last.length === TURNS && first !== undefined && last.every((each) => hasFailed(each) && failing(each) >= failing(first))
}

function failing({ verdict }: IterationSummary): number {
  return verdict.failing
}

function isExempt(recent: readonly IterationSummary[]): boolean {
  const [before, last] = recent.slice(-2)
  if (!before || !last) return false
  // Where nobody could look at the files no file is known to be changed.
  const isNewTree = last.filesChanged > 0 && recent.slice(0, -1).every(({ tree }) => tree !== last.tree)
  return isNewTree || trigramSimilarity(critiqueOf(before), critiqueOf(last)) < SIMILARITY_NEW_MAX
}

function critiqueOf({ failures }: IterationSummary): string {
  return failures.map(({ message }) => message).join('\n')
}

/** Share of trigrams that two texts have in common (Jaccard); two empty texts are the same. */
function trigramSimilarity(one: string, other: string): number {
  const [left, right] = [trigrams(one), trigrams(other)]
  if (left.size + right.size === 0) return 1
  const shared = [...left].filter((gram) => right.has(gram)).length
  return shared / (left.size + right.size - shared)
}

function trigrams(text: string): ReadonlySet<string> {
  const plain = text.toLowerCase().replaceAll(/\s+/g, ' ')
  return new Set(Array.from({ length: Math.max(0, plain.length - 2) }, (_, place) => plain.slice(place, place + 3)))
}
