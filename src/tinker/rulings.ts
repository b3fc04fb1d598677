import type { Failure } from '../core/failure.ts'
import { tokensOf, unquoted, valueMismatch, type ValueMismatch, type ValueToken } from '../core/measures/value-mismatch.ts'
import type { RightSide, Ruling } from '../core/ruling.ts'
import { type Code, lineFinder } from './code.ts'
import { type Candidate, candidateOf, type Edit, replace } from './edit.ts'
import { depth, pattern, VALUE } from './mutations.ts'
import { type Suspicion, type TestBlock, testLines } from './suspicion.ts'
import type { Language, Token } from './tokenize.ts'

/**
 * Candidates that need a person's ruling on which side is right. If the test is right, they wrap a conversion around a value in
 * the code that may reach the failure. If the code is right, they change the literals of exactly that test. They come before
 * all others, values named like the differing one first.
 */
export function rulingCandidates(suspicion: Suspicion, ruled: readonly FailureWithRuling[]): Candidate[] {
  const inCode = ruled
    .filter(({ right }) => right !== 'code')
    .flatMap((failure) => suspicion.sources.flatMap((code) => [...conversionCandidates(code, failure, suspicion)]))
  const inTests = ruled
    .filter(({ right }) => right !== 'test')
    .flatMap((failure) => [...expectationCandidates(failure, suspicion)])
  return [...inCode, ...inTests].toSorted((one, other) => other.weight - one.weight).slice(0, RULING_MAX)
}

const RULING_MAX = 500

/** Above every candidate without a ruling. */
const RULING_WEIGHT = 100

function* conversionCandidates(code: Code, ruled: FailureWithRuling, suspicion: Suspicion): Iterable<Candidate> {
  const key = keyOf(ruled)
  for (const span of valueSpans(code)) {
    const weight = RULING_WEIGHT * (0.1 + suspicion.weightOf(code.path, span.line)) * nearness(span, key)
    for (const edit of conversionsOf(code, span, ruled)) yield candidateOf(code, edit, span.line, weight * edit.prior)
  }
}

/** A value named like the differing one is probably the one that is meant. */
function nearness({ text, holder, isReturned }: ValueSpan, key: string | undefined): number {
  if (key !== undefined && holder === key) return 10
  if (key !== undefined && wordsIn(text).has(key)) return 3
  return isReturned ? 1.5 : 1
}

function* expectationCandidates(ruled: FailureWithRuling, suspicion: Suspicion): Iterable<Candidate> {
  const test = suspicion.testOf(ruled.failure)
  if (!test) return
  const lineOf = lineFinder(test.code.text)
  const places = expectedLiterals(test.code, test.block, ruled)
  for (const [index, edits] of places.entries()) {
    const [first, ...also] = edits.map((edit) => candidateOf(test.code, edit, lineOf(edit.start), RULING_WEIGHT / (index + 1)))
    if (first) yield also.length === 0 ? first : { ...first, also }
  }
}

/**
 * Candidates that may fix the tests that a conversion broke: the reverse conversion where the value is used, or the same
 * conversion for what it is compared with. Values that share names with the converted one come first.
 */
export function pairsWith(half: Candidate, ruled: readonly FailureWithRuling[], sources: readonly Code[]): Candidate[] {
  const own = sources.find(({ path }) => path === half.path)
  const first = own && valueSpans(own).find(({ start }) => start === half.start)
  if (!first) return []
  const names = wordsIn(first.text)
  const pairs = ruled.flatMap((failure) => {
    // If the test's values have no key, the code may name one.
    const key = keyOf(failure) ?? first.holder
    const about = { ruled: failure, half, names, ...(key === undefined ? {} : { key }) }
    return sources.flatMap((code) => valueSpans(code).flatMap((span) => [...secondsAt(code, span, about)]))
  })
  return [...new Map(pairs.toSorted((one, other) => one.weight - other.weight).map((pair) => [pair.id, pair])).values()]
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, PAIRS_MAX)
}

const PAIRS_MAX = 40

/** One half is known by now, so only values with the exact name come before. */
const PAIR_WEIGHT = 3 * RULING_WEIGHT

interface HalfWay {
  readonly ruled: FailureWithRuling
  readonly half: Candidate
  /** Names in the converted value. */
  readonly names: ReadonlySet<string>
  /** The name that the converted value gets. */
  readonly key?: string
}

function* secondsAt(code: Code, span: ValueSpan, { ruled, half, names, key }: HalfWay): Iterable<Candidate> {
  const own = wordsIn(`${span.text} ${span.holder ?? ''}`)
  const shared = [...own].filter((name) => names.has(name)).length + 3 * Number(own.has(key ?? ''))
  if (shared === 0) return
  const likeness = shared / own.size
  const back = conversionsOf(code, span, { ...ruled, mismatch: swapSides(ruled.mismatch) })
  const same = conversionsOf(code, span, ruled).map((edit) => ({ ...edit, prior: edit.prior * 0.5 }))
  for (const edit of [...back, ...same]) {
    const isApart = code.path !== half.path || edit.end <= half.start || edit.start >= half.end
    if (!isApart) continue
    const second = candidateOf(code, edit, span.line, PAIR_WEIGHT * (likeness / (likeness + 1)) * edit.prior * half.prior)
    yield { ...second, id: `${half.id} + ${second.id}`, also: [half] }
  }
}

function conversionsOf(code: Code, span: ValueSpan, { mismatch }: FailureWithRuling): readonly Edit[] {
  const { start, end } = span
  // Nobody wraps a conversion around a literal.
  if (code.tokens.some((token) => token.start === start && token.end === end && token.kind !== 'word')) return []
  return conversionsFor(mismatch, code.language).map(({ prior, wrap }) => {
    const replacement = span.isShorthand ? `${span.text}: ${wrap(span.text)}` : wrap(span.text)
    return { kind: 'conversion', prior, start, end, replacement }
  })
}

/** The differing value's key, if it is part of a larger value. */
function keyOf({ mismatch }: FailureWithRuling): string | undefined {
  const [first] = tokensOf(mismatch.expected)
  return first?.isKey ? first.text : undefined
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g))
}

/** A test that fails because of a type or a format, with a person's ruling on which side is right. */
export interface FailureWithRuling {
  readonly failure: Failure
  readonly mismatch: ValueMismatch
  readonly right: RightSide
  /** Both values in full, as printed. */
  readonly expected: string
  readonly received: string
}

/** The failures for which there is a ruling. Without one nobody knows which side is wrong, so tinker doesn't try. */
export function failuresWithRuling(rulings: readonly Ruling[], failures: readonly Failure[]): readonly FailureWithRuling[] {
  return failures.flatMap((failure) => {
    const { id, expected, received } = failure
    const ruling = rulings.findLast(({ test }) => test === id)
    const mismatch = expected === undefined || received === undefined ? undefined : valueMismatch(expected, received)
    if (!ruling || !mismatch || expected === undefined || received === undefined) return []
    return [{ failure, mismatch, right: ruling.right, expected, received }]
  })
}

/** For each position where a differing value may be, the edits of the test's literals that change it to the received one. */
function expectedLiterals(code: Code, block: TestBlock, ruled: FailureWithRuling): readonly (readonly Edit[])[] {
  const literals = [...code.tokens.entries()].filter(
    ([, token]) => token.line >= block.firstLine && token.line <= block.lastLine && isLiteral(token),
  )
  const pairs = differing(ruled)
  if (pairs.length === 0 || pairs.length > DIFFERENCES_MAX) return []
  const places = pairs.map(({ wanted, given, key }) =>
    literals
      .filter(([, token]) => isValue(token, wanted))
      .map(([index, token]) => ({ edit: editOf(code, token, given), isKeyed: isKeyed(code, index, key) }))
      .toSorted((one, other) => Number(other.isKeyed) - Number(one.isKeyed))
      .map(({ edit }) => edit),
  )
  const [only] = places
  if (!only || places.some((edits) => edits.length === 0)) return []
  // With several differing values, take the likeliest position of each.
  return places.length === 1 ? only.map((edit) => [edit]) : [places.flatMap((edits) => edits.slice(0, 1))]
}

const DIFFERENCES_MAX = 5

interface Differing {
  readonly wanted: ValueToken
  readonly given: ValueToken
  readonly key?: string
}

/** The differing values, piece by piece; none if the pieces don't line up. */
function differing({ expected, received }: FailureWithRuling): readonly Differing[] {
  const [ones, others] = [tokensOf(expected), tokensOf(received)]
  if (ones.length !== others.length) return []
  const found = ones.flatMap((wanted, index): Differing[] => {
    const given = others[index]!
    const isSame = wanted.isKey || (wanted.text === given.text && wanted.isQuoted === given.isQuoted)
    const key = ones[index - 2]
    return isSame ? [] : [{ wanted, given, ...(key?.isKey ? { key: key.text } : {}) }]
  })
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

function isLiteral({ kind, text }: Token): boolean {
  if (kind === 'template') return text.startsWith('`') && text.endsWith('`') && text.length > 1
  return kind === 'number' || kind === 'string' || (kind === 'word' && WORDS.has(text))
}

const WORDS = new Set(['true', 'false', 'True', 'False', 'null', 'undefined', 'None', 'nil', 'NaN'])

function isValue({ kind, text }: Token, { text: wanted, isQuoted }: ValueToken): boolean {
  if (kind === 'string' || kind === 'template') return isQuoted && plain(text.slice(1, -1)) === plain(wanted)
  if (isQuoted) return false
  return kind === 'number' ? Number(text.replaceAll('_', '')) === Number(wanted) : text === wanted
}

/** Printed texts may have more or fewer backslashes than the source. */
function plain(text: string): string {
  return text.replaceAll(/\\(["'`\\])/g, '$1').replaceAll('\n', '\\n')
}

function isKeyed({ tokens }: Code, index: number, key: string | undefined): boolean {
  const name = tokens[index - 2]
  return key !== undefined && name !== undefined && (name.text === key || name.text.slice(1, -1) === key)
}

function editOf(code: Code, token: Token, given: ValueToken): Edit {
  return { ...replace(1, token, given.isQuoted ? quoted(given.text, quoteOf(code, token)) : given.text), kind: 'expected' }
}

function quoted(text: string, quote: string): string {
  const body = plain(text).replaceAll(/\\(?!n)/g, '\\\\')
  return `${quote}${body.replaceAll(quote, `\\${quote}`)}${quote}`
}

/** The literal's own quote, otherwise the language's usual one. */
function quoteOf({ language }: Code, { kind, text }: Token): string {
  if (kind === 'string' && /^["']/.test(text)) return text[0]!
  return language.family === 'script' ? "'" : '"'
}

/** A way to convert a value. */
export interface Conversion {
  readonly prior: number
  /** `value` may be any expression. */
  readonly wrap: (value: string) => string
}

/** Conversions from the received to the expected value, for two values that differ only in type or format; likeliest first. */
export function conversionsFor(mismatch: ValueMismatch, { family }: Language): readonly Conversion[] {
  if (family === 'braces') return []
  const forms = (family === 'script' ? SCRIPT : PYTHON)[mismatch.difference]
  return forms === undefined ? [] : forms(mismatch).map((wrap, index) => ({ prior: 1 - index * 0.2, wrap }))
}

/** The same two values with sides swapped. */
function swapSides({ difference, message, expected, received }: ValueMismatch): ValueMismatch {
  return { difference, message, expected: received, received: expected }
}

type Wrap = Conversion['wrap']
type Forms = Partial<Record<ValueMismatch['difference'], (mismatch: ValueMismatch) => readonly Wrap[]>>

const SCRIPT: Forms = {
  type: ({ expected }) => {
    const { text, isQuoted } = lastOf(expected)
    if (isQuoted) return [(value) => `String(${value})`]
    if (isBoolean(text)) return [(value) => `(${unit(value)} === 'true')`]
    if (!isNumber(text)) return []
    // If only some values are numbers in quotes, the others stay unchanged.
    return [(value) => `Number(${value})`, (value) => `(/^${digits(text)}$/.test(${value}) ? Number(${value}) : ${value})`]
  },
  'missing value': ({ expected }) =>
    /^(?:null|undefined)$/.test(expected.trim()) ? [(value) => `(${unit(value)} ?? ${expected.trim()})`] : [],
  'trailing newline': ({ expected }) => [
    isNewlineWanted(expected) ? (value) => `(${value} + '\\n')` : (value) => `${unit(value)}.trimEnd()`,
  ],
  whitespace: () => [(value) => `${unit(value)}.trim()`, (value) => `${unit(value)}.trim().replaceAll(/\\s+/g, ' ')`],
  'upper and lower case': ({ expected }) => [(value) => `${unit(value)}.${isLower(expected) ? 'toLowerCase' : 'toUpperCase'}()`],
  'number format': ({ expected }) => {
    const places = placesOf(expected)
    const options = `{ minimumFractionDigits: ${places}, maximumFractionDigits: ${places} }`
    const fixed: Wrap = (value) => `${unit(value)}.toFixed(${places})`
    return /\d,\d{3}/.test(expected) ? [(value) => `${unit(value)}.toLocaleString('en-US', ${options})`, fixed] : [fixed]
  },
  rounding: ({ expected }) => [(value) => `Number(${unit(value)}.toFixed(${placesOf(expected)}))`],
  'order of items': () => [(value) => `[...${unit(value)}].sort()`],
}

const PYTHON: Forms = {
  type: ({ expected }) => {
    const { text, isQuoted } = lastOf(expected)
    if (isQuoted) return [(value) => `str(${value})`]
    if (!isNumber(text)) return []
    const number = text.includes('.') ? 'float' : 'int'
    return [
      (value) => `${number}(${value})`,
      (value) => `(${number}(${value}) if str(${value}).lstrip("-").isdigit() else ${value})`,
    ]
  },
  'trailing newline': ({ expected }) => [
    isNewlineWanted(expected) ? (value) => `(${value} + "\\n")` : (value) => `${unit(value)}.rstrip("\\n")`,
  ],
  whitespace: () => [(value) => `${unit(value)}.strip()`, (value) => `" ".join(${unit(value)}.split())`],
  'upper and lower case': ({ expected }) => [(value) => `${unit(value)}.${isLower(expected) ? 'lower' : 'upper'}()`],
  'number format': ({ expected }) => [
    (value) => `format(${value}, "${/\d,\d{3}/.test(expected) ? ',' : ''}.${placesOf(expected)}f")`,
  ],
  rounding: ({ expected }) => [(value) => `round(${value}, ${placesOf(expected)})`],
  'order of items': () => [(value) => `sorted(${value})`],
}

/** A pattern for numbers of this kind. */
function digits(text: string): string {
  return /^\d+$/.test(text) ? '\\d+' : '-?\\d+(\\.\\d+)?'
}

/** Puts brackets around anything but a simple value. */
function unit(value: string): string {
  return /^[\w$.[\]'"?]+$/.test(value) || /^[\w$.]+\([^()]*\)$/.test(value) ? value : `(${value})`
}

/** The value itself: in a mismatch, its key may come first. */
function lastOf(printed: string): { readonly text: string; readonly isQuoted: boolean } {
  return tokensOf(printed).at(-1) ?? { text: '', isQuoted: false }
}

function placesOf(printed: string): number {
  return Math.min(20, /\.(\d+)\D*$/.exec(unquoted(printed))?.[1]?.length ?? 0)
}

function isNewlineWanted(printed: string): boolean {
  return /(?:\\n|\n)["'`]?$/.test(printed.trimStart())
}

function isLower(printed: string): boolean {
  return unquoted(printed) === unquoted(printed).toLowerCase()
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

function isBoolean(text: string): boolean {
  return text === 'true' || text === 'false'
}

/** A value in the source that a conversion could wrap. */
interface ValueSpan {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly text: string
  /** The name that the value gets right there: an object key, a variable, a keyword argument. */
  readonly holder?: string
  /** Written as `{ name }`, so the key has to be written out. */
  readonly isShorthand?: true
  readonly isReturned?: true
}

const SHORTHAND = pattern`(?<=[{,]\s*)([a-zA-Z_$][\w$]*)(?=\s*[,}])`
const RETURNED = pattern`(?<=\breturn )([^;\n]+?)(?= *(?:;|\}?$))`
/** Assigned, passed to a call, put into an object or a text, or compared; not a whole condition, and not a name that is declared. */
const HANDED_ON = pattern`(?<=[=(,[:?+|&] ?|=> |\b(?:return|in|if|and|or) )(?<!\b(?:if|while|switch) ?\()(?=(${VALUE})(?![\w$.#([]| *(?:=[^=]|:=|:(?!:))))`

/** Values that a file passes on. Skips tests inside source files. */
function valueSpans(code: Code): readonly ValueSpan[] {
  const { masked, text, language } = code
  const lineOf = lineFinder(text)
  const isTestLine = testLines(code)
  const found = (places: RegExp, more: (start: number) => Partial<ValueSpan>) =>
    [...masked.matchAll(places)].map(({ indices }): ValueSpan => {
      const [start, end] = indices![1]!
      return { start, end, line: lineOf(start), text: text.slice(start, end), ...more(start) }
    })
  const shorthand =
    language.family === 'script'
      ? found(SHORTHAND, (start) => ({ holder: text.slice(start).match(/^[\w$]+/)![0], isShorthand: true }))
      : []
  const spans = [
    ...shorthand.filter(({ start }) => /(?<!\b(?:const|let|var) )\{$/.test(openBefore(masked, start))),
    ...found(RETURNED, () => ({ isReturned: true })).filter(({ start, end }) => depth(masked.slice(start, end)) === 0),
    ...found(HANDED_ON, (start) => {
      const holder = /([\w$]+)["']?\s*(?::|(?<![=!<>+*/-])=)\s*$/.exec(text.slice(Math.max(0, start - 80), start))?.[1]
      return holder === undefined ? {} : { holder }
    }),
  ].filter((span) => isPlain(span.text) && !isTestLine(span.line))
  return [...new Map(spans.toReversed().map((span) => [`${span.start}-${span.end}`, span])).values()].toReversed()
}

/** The text up to the bracket that is open at an offset. */
function openBefore(masked: string, offset: number): string {
  let open = 1
  for (let at = offset - 1; at >= 0; at--) {
    open += /[)\]}]/.test(masked[at]!) ? 1 : /[([{]/.test(masked[at]!) ? -1 : 0
    if (open === 0) return masked.slice(0, at + 1)
  }
  return ''
}

/** A single value: converting an object, a function or a choice between values is never what was meant. */
function isPlain(text: string): boolean {
  return (
    text.length <= TEXT_LENGTH_MAX &&
    !/^(?:[{[!]|not )|=>|\?(?!\.)|&&|\|\|| for |^(?:undefined|null|None|true|false|True|False)$/.test(text)
  )
}

const TEXT_LENGTH_MAX = 80
