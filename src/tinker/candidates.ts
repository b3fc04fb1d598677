import { type Candidate, candidateOf } from './edit.ts'
import { type CheckOutcome, failuresOf, signature, type TryEffect } from './check.ts'
import { filesOfCheck, isEditable, readSourceTexts, type SourceTexts } from './source-files.ts'
import { hash } from './trial.ts'
import { pairsWith, rulingCandidates, type FailureWithRuling, failuresWithRuling } from './rulings.ts'
import type { Settings } from './settings.ts'
import { type Suspicion, suspicionFrom, testLines } from './suspicion.ts'
import { createHash } from 'node:crypto'
import { type Code, lineFinder } from './code.ts'
import { isKey } from './mutate-names.ts'
import { editsOf } from './mutations.ts'

export interface PlanOptions {
  readonly cwd: string
  readonly brief: string
  readonly settings: Settings
  /** The check's outcome on the tree as it is. */
  readonly outcome: CheckOutcome
}

/** The candidates for a tree. */
export interface Plan {
  /** Equal for equal sources that fail in the same way: candidates tried on one needn't be tried on the other. */
  readonly tree: string
  readonly texts: SourceTexts
  readonly candidates: readonly Candidate[]
  /** The failures for which there is a person's ruling. */
  readonly ruled: readonly FailureWithRuling[]
  /** Candidates to try together with a conversion that fixes such a test and breaks others. */
  pairsWith(half: Candidate): readonly Candidate[]
}

/** Reads the tree and ranks its candidates. */
export function planTries({ cwd, brief, settings, outcome }: PlanOptions): Plan {
  const texts = readSourceTexts(cwd)
  const failures = failuresOf(outcome)
  const checkFiles = filesOfCheck(settings.check, cwd)
  const suspicion = suspicionFrom({
    folder: cwd,
    texts,
    failures,
    output: outcome.output,
    brief,
    isEditable: (path) => isEditable(path, checkFiles),
  })
  const ruled = failuresWithRuling(settings.rulings ?? [], failures)
  const candidates = [...rulingCandidates(suspicion, ruled), ...rankCandidates(suspicion, settings.seed)]
  const tree = hash(JSON.stringify([settings.check, [...texts], failures.map((failure) => [failure.id, signature(failure)])]))
  return { tree, texts, candidates, ruled, pairsWith: (half) => pairsWith(half, ruled, suspicion.sources) }
}

/** All candidates for the suspicious files, the most promising first. Ties are ordered by position, so the order is stable. */
export function rankCandidates(suspicion: Suspicion, seed: string): Candidate[] {
  const vocabulary = { properties: propertiesIn(suspicion.tests) }
  const candidates = suspicion.sources.flatMap((code) => {
    const lineOf = lineFinder(code.text)
    const isTestLine = testLines(code)
    return editsOf(code, vocabulary).flatMap((edit) => {
      const line = lineOf(edit.start)
      const weight = suspicion.weightOf(code.path, line) * edit.prior
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

/** Property names in the tests: the callers' names for the data. */
function propertiesIn(tests: readonly Code[]): ReadonlySet<string> {
  return new Set(tests.flatMap((code) => code.tokens.flatMap((token, index) => (isKey(code, index) ? [token.text] : []))))
}

/** A number from 0 to 1 that depends only on the text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** The most promising untried candidate. A line loses weight with every try that changed nothing or that passing tests rely on. */
export function pickNext(candidates: readonly Candidate[], tried: ReadonlyMap<string, TryEffect>): Candidate | undefined {
  const factors = new Map<string, number>()
  for (const candidate of candidates) {
    const effect = tried.get(candidate.id)
    if (effect) factors.set(lineKey(candidate), (factors.get(lineKey(candidate)) ?? 1) * LINE_FACTORS[effect])
  }
  let best: Candidate | undefined
  let bestWeight = 0
  for (const candidate of candidates) {
    if (tried.has(candidate.id)) continue
    const weight = candidate.weight * (factors.get(lineKey(candidate)) ?? 1)
    if (weight > bestWeight) [best, bestWeight] = [candidate, weight]
  }
  return best
}

const LINE_FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.6, moved: 0.75, closer: 1.4, broke: 0.85, half: 0.9 }

/** A line combined with one edit says nothing about the line combined with another. */
function lineKey({ path, line, also = [] }: Candidate): string {
  return [`${path}:${line}`, ...also.map(({ id }) => id)].join(' ')
}
