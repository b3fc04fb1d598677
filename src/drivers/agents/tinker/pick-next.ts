import type { Candidate } from './candidate.ts'

/**
 * What a try did to the tests that fail: nothing (`same`), something (`moved`: another message, another set), or the
 * program no longer ran (`broke`).
 */
export type TryEffect = 'same' | 'moved' | 'broke'

/**
 * The most promising candidate that was not tried yet; `undefined` when all were. A line where tries changed nothing loses
 * weight (it has no part in the failure), one where they moved something gains, and no line is asked too often in a row.
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

const FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.7, moved: 0.95, broke: 0.85 }
