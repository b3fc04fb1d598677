import { tokensOf } from '../core/patterns/value-tokens.ts'
import { candidateOf, type Candidate } from './candidate.ts'
import type { Code } from './code.ts'
import { conversionsFor, turned } from './conversions.ts'
import type { Edit } from './edit.ts'
import { expectedLiterals, literalInstead } from './expected-literals.ts'
import { testLines } from './find-test-blocks.ts'
import { lineFinder } from './line-finder.ts'
import type { RuledFailure } from './ruled-failures.ts'
import type { Suspicion } from './suspicion.ts'
import { type ValueSpan, valueSpans } from './value-spans.ts'

/**
 * What may be tried only because a person has said which side is right: where the test is, the code gets a conversion around a value
 * that may reach the failure; where the code is, the literals of exactly that test become what the code gives. It comes before
 * everything else, the values that carry the name of what differs first.
 */
export function ruledCandidates(suspicion: Suspicion, ruled: readonly RuledFailure[]): Candidate[] {
  const inCode = ruled
    .filter(({ right }) => right !== 'code')
    .flatMap((failure) => suspicion.sources.flatMap((code) => [...converted(code, failure, suspicion)]))
  const inTests = ruled.filter(({ right }) => right !== 'test').flatMap((failure) => [...expected(failure, suspicion)])
  return [...inCode, ...inTests].toSorted((one, other) => other.weight - one.weight).slice(0, RULED_MAX)
}

const RULED_MAX = 500

/** Above everything that is tried without a person's word. */
const RULED_WEIGHT = 100

function* converted(code: Code, ruled: RuledFailure, suspicion: Suspicion): Iterable<Candidate> {
  const key = keyOf(ruled)
  for (const { span, line } of spansIn(code)) {
    const suspect = 0.1 + suspicion.weightOf(code.path, line)
    const weight = RULED_WEIGHT * suspect * nearness(span, key)
    for (const edit of conversionsOf(code, span, ruled)) yield candidateOf(code, edit, line, weight * edit.prior)
  }
}

/** What the values are called tells which of them is meant. */
function nearness({ text, holder, isReturned }: ValueSpan, key: string | undefined): number {
  if (key !== undefined && holder === key) return 10
  if (key !== undefined && wordsIn(text).has(key)) return 3
  return isReturned ? 1.5 : 1
}

function* expected(ruled: RuledFailure, suspicion: Suspicion): Iterable<Candidate> {
  const test = suspicion.testOf(ruled.failure)
  if (!test) return
  const lineOf = lineFinder(test.code.text)
  const places = expectedLiterals(test.code, test.block, ruled)
  for (const [index, edits] of places.entries()) {
    const [first, ...also] = edits.map((edit) => candidateOf(test.code, edit, lineOf(edit.start), RULED_WEIGHT / (index + 1)))
    if (first) yield also.length === 0 ? first : { ...first, also }
  }
}

/**
 * What may mend the tests that a conversion broke: the conversion back where the value is used, or the same one for what it is compared
 * with. The values that share names with the converted one first.
 */
export function pairsWith(half: Candidate, ruled: readonly RuledFailure[], sources: readonly Code[]): Candidate[] {
  const own = sources.find(({ path }) => path === half.path)
  const first = own && spansIn(own).find(({ span }) => own.tokens[span.from]!.start === half.start)
  if (!first) return []
  const names = wordsIn(first.span.text)
  const pairs = ruled.flatMap((failure) => {
    // Where the values of the test do not tell what they are called, the code may.
    const key = keyOf(failure) ?? first.span.holder
    const about = { ruled: failure, half, names, ...(key === undefined ? {} : { key }) }
    return sources.flatMap((code) => spansIn(code).flatMap((place) => [...secondsAt(code, place, about)]))
  })
  return [...new Map(pairs.toSorted((one, other) => one.weight - other.weight).map((pair) => [pair.id, pair])).values()]
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, PAIRS_MAX)
}

const PAIRS_MAX = 40

/** Half of the way is known by then: only the values that carry the very name come before. */
const PAIR_WEIGHT = 3 * RULED_WEIGHT

interface HalfWay {
  readonly ruled: RuledFailure
  readonly half: Candidate
  /** Names in the value that was converted. */
  readonly names: ReadonlySet<string>
  /** What that value is called where it goes to. */
  readonly key?: string
}

function* secondsAt(code: Code, { span, line }: Place, { ruled, half, names, key }: HalfWay): Iterable<Candidate> {
  const own = wordsIn(`${span.text} ${span.holder ?? ''}`)
  const shared = [...own].filter((name) => names.has(name)).length + 3 * Number(own.has(key ?? ''))
  if (shared === 0) return
  const likeness = shared / own.size
  const back = conversionsOf(code, span, { ...ruled, mismatch: turned(ruled.mismatch) })
  const same = conversionsOf(code, span, ruled).map((edit) => ({ ...edit, prior: edit.prior * 0.5 }))
  for (const edit of [...back, ...same]) {
    const isApart = code.path !== half.path || edit.end <= half.start || edit.start >= half.end
    if (!isApart) continue
    const second = candidateOf(code, edit, line, PAIR_WEIGHT * (likeness / (likeness + 1)) * edit.prior * half.prior)
    yield { ...second, id: `${half.id} + ${second.id}`, also: [half] }
  }
}

interface Place {
  readonly span: ValueSpan
  readonly line: number
}

/** Tests that stand in a source file are left alone. */
function spansIn(code: Code): readonly Place[] {
  const isTestLine = testLines(code)
  const places = [...valueSpans(code)].map((span) => ({ span, line: code.tokens[span.from]!.line }))
  return places.filter(({ line }) => !isTestLine(line))
}

function conversionsOf(code: Code, span: ValueSpan, { mismatch }: RuledFailure): readonly Edit[] {
  const [from, to] = [code.tokens[span.from]!, code.tokens[span.to]!]
  if (from === to && from.kind !== 'word') {
    const edit = literalInstead(code, from, mismatch)
    return edit ? [edit] : []
  }
  return conversionsFor(mismatch, code.language).map(({ prior, wrap }) => {
    const replacement = span.isShorthand ? `${span.text}: ${wrap(span.text)}` : wrap(span.text)
    return { kind: 'conversion', prior, start: from.start, end: to.end, replacement }
  })
}

/** What the differing value is called, where it is part of a larger one. */
function keyOf({ mismatch }: RuledFailure): string | undefined {
  const [first] = tokensOf(mismatch.expected)
  return first?.isKey ? first.text : undefined
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g))
}
