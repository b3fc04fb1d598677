import type { Candidate } from './candidate.ts'

/**
 * What a try did that did not help. `same`: the failing tests fail as before. `moved`: they fail in another way, and others
 * fail too. `closer`: they fail in another way, and no other test does. `broke`: the program no longer ran. `half`: the test that a
 * person spoke of passes, and others fail for it.
 */
export type TryEffect = 'same' | 'moved' | 'closer' | 'broke' | 'half'

/**
 * The most promising candidate that was not tried yet; `undefined` when all were. A line where tries changed nothing loses
 * weight (it has no part in the failure), so does one that passing tests rely on as it is, and one where only the failing
 * tests moved gains.
 */
export function pickNext(candidates: readonly Candidate[], tried: ReadonlyMap<string, TryEffect>): Candidate | undefined {
  const factors = new Map<string, number>()
  const multiply = (place: string, factor: number) => factors.set(place, (factors.get(place) ?? 1) * factor)
  const telling = new Set<string>()
  for (const candidate of candidates) {
    const effect = tried.get(candidate.id)
    if (!effect) continue
    multiply(lineOf(candidate), LINE_FACTORS[effect])
    multiply(candidate.area, AREA_FACTORS[effect])
    if (effect === 'closer') telling.add(lineOf(candidate))
  }
  for (const line of telling) multiply(line, TELLING_FACTOR)
  let best: Candidate | undefined
  let bestWeight = 0
  for (const candidate of candidates) {
    if (tried.has(candidate.id)) continue
    const weight = candidate.weight * (factors.get(lineOf(candidate)) ?? 1) * (factors.get(candidate.area) ?? 1)
    if (weight > bestWeight) [best, bestWeight] = [candidate, weight]
  }
  return best
}

/** For every try; also where it told something, so that no line is asked for ever. */
const LINE_FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.6, moved: 0.75, closer: 0.85, broke: 0.85, half: 0.9 }
const AREA_FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.97, moved: 0.96, closer: 1, broke: 1, half: 1 }
/** Once, however many tries told it. */
const TELLING_FACTOR = 1.8

/** What a line told together with one edit says nothing about it together with another. */
function lineOf({ path, line, also = [] }: Candidate): string {
  return [`${path}:${line}`, ...also.map(({ id }) => id)].join(' ')
}
