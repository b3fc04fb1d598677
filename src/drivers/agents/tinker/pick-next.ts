import type { Candidate } from './candidate.ts'

/**
 * What a try did that did not help. `same`: the failing tests fail as before. `moved`: they fail in another way, and others
 * fail too. `closer`: they fail in another way, and no other test does. `broke`: the program no longer ran.
 */
export type TryEffect = 'same' | 'moved' | 'closer' | 'broke'

/**
 * The most promising candidate that was not tried yet; `undefined` when all were. A line where tries changed nothing loses
 * weight (it has no part in the failure), so does one that passing tests rely on as it is, and one where only the failing
 * tests moved gains.
 */
export function pickNext(candidates: readonly Candidate[], tried: ReadonlyMap<string, TryEffect>): Candidate | undefined {
  const factors = new Map<string, number>()
  for (const { id, path, line } of candidates) {
    const effect = tried.get(id)
    if (effect) factors.set(`${path}:${line}`, (factors.get(`${path}:${line}`) ?? 1) * FACTORS[effect])
  }
  let best: Candidate | undefined
  let bestWeight = 0
  for (const candidate of candidates) {
    if (tried.has(candidate.id)) continue
    const weight = candidate.weight * (factors.get(`${candidate.path}:${candidate.line}`) ?? 1)
    if (weight > bestWeight) [best, bestWeight] = [candidate, weight]
  }
  return best
}

const FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.6, moved: 0.8, closer: 1.2, broke: 0.85 }
