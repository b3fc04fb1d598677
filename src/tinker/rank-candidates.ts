import { createHash } from 'node:crypto'
import type { Failure } from '../core/failure.ts'
import { candidateOf, type Candidate } from './candidate.ts'
import type { Code } from './code.ts'
import { isKey } from './mutate-names.ts'
import { editsOf } from './mutations.ts'
import { testLines } from './find-test-blocks.ts'
import { hintsFrom } from './hints.ts'
import { lineFinder } from './line-finder.ts'
import type { Suspicion } from './suspicion.ts'

/** All candidates for the suspicious files, the most promising first; ties go by place, so the order is always the same. */
export function rankCandidates(suspicion: Suspicion, failures: readonly Failure[], seed: string): Candidate[] {
  const hint = hintsFrom(failures)
  const vocabulary = { properties: propertiesIn(suspicion.tests) }
  const candidates = suspicion.sources.flatMap((code) => {
    const lineOf = lineFinder(code.text)
    const isTestLine = testLines(code)
    return editsOf(code, vocabulary).flatMap((edit) => {
      const line = lineOf(edit.start)
      const weight = suspicion.weightOf(code.path, line) * edit.prior * hint(edit.kind)
      if (weight <= 0 || isTestLine(line)) return []
      const candidate = candidateOf(code, edit, line, weight)
      return [seed === '' ? candidate : { ...candidate, weight: weight * (0.8 + 0.4 * fraction(seed + candidate.id)) }]
    })
  })
  return candidates
    .toSorted((a, b) => b.weight - a.weight || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
    .slice(0, CANDIDATES_MAX)
}

const CANDIDATES_MAX = 5000

/** Names of properties in the tests: the words in which the callers speak of the data. */
function propertiesIn(tests: readonly Code[]): ReadonlySet<string> {
  return new Set(tests.flatMap((code) => code.tokens.flatMap((token, index) => (isKey(code, index) ? [token.text] : []))))
}

/** A number from 0 to 1 that depends on the text alone. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
