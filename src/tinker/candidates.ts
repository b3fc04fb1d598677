import { type Candidate, candidateOf, type EditKind } from './edit.ts'
import { type CheckOutcome, failuresOf, signature, type TryEffect } from './check.ts'
import { filesOfCheck, isEditable, readSourceTexts, type SourceTexts } from './source-files.ts'
import { hash } from './trial.ts'
import { pairsWith, rulingCandidates, type FailureWithRuling, failuresWithRuling } from './rulings.ts'
import type { Settings } from './settings.ts'
import { type Suspicion, suspicionFrom, testLines } from './suspicion.ts'
import { createHash } from 'node:crypto'
import type { Failure } from '../core/failure.ts'
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
  const candidates = [...rulingCandidates(suspicion, ruled), ...rankCandidates(suspicion, failures, settings.seed)]
  const tree = hash(JSON.stringify([settings.check, [...texts], failures.map((failure) => [failure.id, signature(failure)])]))
  return { tree, texts, candidates, ruled, pairsWith: (half) => pairsWith(half, ruled, suspicion.sources) }
}

/** All candidates for the suspicious files, the most promising first. Ties are ordered by position, so the order is stable. */
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

/** Property names in the tests: the callers' names for the data. */
function propertiesIn(tests: readonly Code[]): ReadonlySet<string> {
  return new Set(tests.flatMap((code) => code.tokens.flatMap((token, index) => (isKey(code, index) ? [token.text] : []))))
}

/** A number from 0 to 1 that depends only on the text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/**
 * The most promising untried candidate. A line loses weight if tries on it changed nothing, or if passing tests rely on it; it
 * gains weight if only the failing tests changed.
 */
export function pickNext(candidates: readonly Candidate[], tried: ReadonlyMap<string, TryEffect>): Candidate | undefined {
  const factors = new Map<string, number>()
  const multiply = (place: string, factor: number) => factors.set(place, (factors.get(place) ?? 1) * factor)
  const telling = new Set<string>()
  for (const candidate of candidates) {
    const effect = tried.get(candidate.id)
    if (!effect) continue
    multiply(lineKey(candidate), LINE_FACTORS[effect])
    multiply(candidate.area, AREA_FACTORS[effect])
    if (effect === 'closer') telling.add(lineKey(candidate))
  }
  for (const line of telling) multiply(line, TELLING_FACTOR)
  let best: Candidate | undefined
  let bestWeight = 0
  for (const candidate of candidates) {
    if (tried.has(candidate.id)) continue
    const weight = candidate.weight * (factors.get(lineKey(candidate)) ?? 1) * (factors.get(candidate.area) ?? 1)
    if (weight > bestWeight) [best, bestWeight] = [candidate, weight]
  }
  return best
}

/** Applied for every try, even an informative one, so that no line is tried for ever. */
const LINE_FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.6, moved: 0.75, closer: 0.85, broke: 0.85, half: 0.9 }
const AREA_FACTORS: Readonly<Record<TryEffect, number>> = { same: 0.97, moved: 0.96, closer: 1, broke: 1, half: 1 }
/** Applied once, however many tries came closer. */
const TELLING_FACTOR = 1.8

/** A line combined with one edit says nothing about the line combined with another. */
function lineKey({ path, line, also = [] }: Candidate): string {
  return [`${path}:${line}`, ...also.map(({ id }) => id)].join(' ')
}

/** How much likelier than usual each kind of edit is, given how the tests fail; 1 if there is no hint. */
function hintsFrom(failures: readonly Failure[]): (kind: EditKind) => number {
  const factors = new Map<EditKind, number>()
  for (const failure of failures) {
    for (const [fits, factor, kinds] of HINTS) {
      if (!fits(failure)) continue
      for (const kind of kinds) factors.set(kind, Math.max(factors.get(kind) ?? 1, factor))
    }
  }
  return (kind) => factors.get(kind) ?? 1
}

type Hint = readonly [fits: (failure: Failure) => boolean, factor: number, kinds: readonly EditKind[]]

const says =
  (pattern: RegExp) =>
  ({ message }: Failure): boolean =>
    pattern.test(message)

const HINTS: readonly Hint[] = [
  [says(/Promise|coroutine|never awaited/), 5, ['await']],
  [({ received }) => received !== undefined && /^\[?object Promise|Promise \{/.test(received), 5, ['await']],
  [says(/is not a function|is not defined|has no attribute|NameError|undefined:/), 2, ['name']],
  [
    says(/properties of (?:undefined|null)|NoneType|out of range|nil pointer|IndexError/),
    1.6,
    ['optional', 'bound', 'guard', 'number', 'comparison'],
  ],
  [says(/[Mm]issing expected (?:exception|rejection)|DID NOT RAISE/), 1.4, ['comparison', 'condition', 'guard', 'logic']],
  [({ received }) => received === 'undefined' || received === 'None', 1.6, ['return', 'name', 'bound']],
  [({ received }) => received === 'NaN', 1.5, ['name', 'order', 'arithmetic']],
  [
    (failure) => isBoolean(failure.expected) && isBoolean(failure.received),
    1.3,
    ['comparison', 'condition', 'literal', 'logic', 'sibling'],
  ],
  [(failure) => Math.abs(difference(failure)) === 1, 1.4, ['bound', 'number', 'comparison']],
  [(failure) => Math.abs(difference(failure)) < 1, 1.6, ['sibling']],
  [(failure) => difference(failure) === 2 * Number(failure.expected), 1.5, ['order', 'arithmetic']],
  [isOtherCase, 2.5, ['text', 'sibling']],
  [isReordered, 1.8, ['order', 'sibling', 'copy']],
]

type Values = Pick<Failure, 'expected' | 'received'>

function difference({ expected, received }: Values): number {
  return expected === undefined || received === undefined || expected === '' || received === ''
    ? Number.NaN
    : Number(expected) - Number(received)
}

function isBoolean(value: string | undefined): boolean {
  return value === 'true' || value === 'false' || value === 'True' || value === 'False'
}

function isOtherCase({ expected, received }: Values): boolean {
  return expected !== undefined && expected !== received && expected.toLowerCase() === received?.toLowerCase()
}

function isReordered({ expected, received }: Values): boolean {
  if (!expected || !received || expected === received || expected.length < 5) return false
  return [...expected].toSorted().join('') === [...received].toSorted().join('')
}
