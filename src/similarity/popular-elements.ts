import type { SequencePair } from './sequence-pair.ts'

/**
 * What `autojunk` leaves out of the search for matches: from 200 elements of `b` on, those that make up more than one in a
 * hundred of it. They are numbered so that they equal nothing. The very same pair comes back when there are none.
 */
export function withoutPopular(pair: SequencePair): SequencePair {
  const { a, b } = pair
  if (b.length < LENGTH_MIN) return pair
  const countMax = Math.floor(b.length / 100) + 1
  const counts = new Map<number, number>()
  for (const element of b) counts.set(element, (counts.get(element) ?? 0) + 1)
  const popular = new Set([...counts].filter(([, count]) => count > countMax).map(([element]) => element))
  if (popular.size === 0) return pair
  return {
    a: a.map((element) => (popular.has(element) ? NOTHING_IN_A : element)),
    b: b.map((element) => (popular.has(element) ? NOTHING_IN_B : element)),
  }
}

const LENGTH_MIN = 200
const NOTHING_IN_A = -1
const NOTHING_IN_B = -2
