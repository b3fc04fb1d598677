import type { ValueMismatch } from '../core/measures/value-mismatch.ts'
import { tokensOf, unquoted } from '../core/measures/value-mismatch.ts'
import type { Language } from './tokenize.ts'
import { type Code, isImportLine, operandAfter, type Span, textOf } from './code.ts'

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
export function swapSides({ difference, message, expected, received }: ValueMismatch): ValueMismatch {
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
export interface ValueSpan extends Span {
  readonly text: string
  /** The name that the value gets right there: an object key, a variable, a keyword argument. */
  readonly holder?: string
  /** Written as `{ name }`, so the key has to be written out. */
  readonly isShorthand?: true
  readonly isReturned?: true
}

/** Values that a file passes on: returned, assigned, passed to a call, put into an object or a text, or compared. */
export function* valueSpans(code: Code): Iterable<ValueSpan> {
  const seen = new Set<string>()
  for (const span of allSpans(code)) {
    const key = `${span.from}-${span.to}`
    if (!seen.has(key) && isPlain(span.text)) yield span
    seen.add(key)
  }
}

/** A single value: converting an object, a function or a choice between values is never what was meant. */
function isPlain(text: string): boolean {
  return (
    text.length <= TEXT_LENGTH_MAX &&
    !/^(?:[{[!]|not )|=>|\?(?!\.)|&&|\|\|| for |^(?:undefined|null|None|true|false|True|False)$/.test(text)
  )
}

const TEXT_LENGTH_MAX = 80

function* allSpans(code: Code): Iterable<ValueSpan> {
  const { tokens } = code
  for (const [index, token] of tokens.entries()) {
    if (index === 0 || isHeader(code, index) || isImportLine(tokens, index)) continue
    const before = tokens[index - 1]!
    if (before.text === 'return' && before.line === token.line) yield* returnedSpan(code, index)
    if (isShorthand(code, index)) {
      yield { from: index, to: index, text: token.text, holder: token.text, isShorthand: true }
      continue
    }
    const operand = isHandedOn(code, index) ? operandAfter(code, index) : undefined
    const next = operand && tokens[operand.to + 1]
    if (!operand || (next && NOT_BEHIND.has(next.text) && next.line === token.line)) continue
    const holder = holderOf(code, index)
    yield { ...operand, text: textOf(code, operand), ...(holder === undefined ? {} : { holder }) }
  }
}

function isHandedOn({ tokens, language }: Code, index: number): boolean {
  const before = tokens[index - 1]!
  if (before.kind === 'template') return before.text.endsWith('${')
  // A whole condition is a boolean, whatever wraps it.
  if (before.text === '(' && CONDITIONS.has(tokens[index - 2]?.text ?? '')) return false
  return HANDS_ON.has(before.text) || (language.family === 'indented' && HANDS_ON_IN_WORDS.has(before.text))
}

const CONDITIONS = new Set(['if', 'while', 'switch'])
const HANDS_ON_IN_WORDS = new Set(['in', 'if', 'and', 'or'])
const HANDS_ON = new Set('= return ( , [ : => + === !== == != ? ?? || && in if and or'.split(' '))
/** If one of these follows a name, the name is declared, is a key, or is called. */
const NOT_BEHIND = new Set(['=', '=>', ':', '(', ':=', 'from'])

/** The whole returned expression. */
function* returnedSpan(code: Code, index: number): Iterable<ValueSpan> {
  const { tokens, pairs } = code
  let to = index
  for (;;) {
    if (pairs[to]! > to) to = pairs[to]!
    const next = tokens[to + 1]
    if (!next || next.text === ';' || next.text === '}' || next.line > tokens[to]!.line) break
    to++
  }
  const span = { from: index, to }
  yield { ...span, text: textOf(code, span), isReturned: true }
}

/** A function's name and parameters are declared, not passed on. */
function isHeader({ functions }: Code, index: number): boolean {
  return functions.some(({ nameIndex, bodyIndex }) => index > nameIndex && index < bodyIndex)
}

function isShorthand({ tokens, pairs, language }: Code, index: number): boolean {
  const [before, token, after] = [tokens[index - 1]!, tokens[index]!, tokens[index + 1]]
  if (language.family !== 'script' || token.kind !== 'word' || !/^[{,]$/.test(before.text)) return false
  if (after?.text !== ',' && after?.text !== '}') return false
  let opening = index - 1
  while (opening > 0 && !/^[([{]$/.test(tokens[opening]!.text)) opening = pairs[opening]! >= 0 ? pairs[opening]! - 1 : opening - 1
  // `const { a } = b` destructures, it doesn't build an object.
  return tokens[opening]?.text === '{' && !/^(?:const|let|var)$/.test(tokens[opening - 1]?.text ?? '')
}

function holderOf({ tokens }: Code, index: number): string | undefined {
  const [holder, sign] = [tokens[index - 2], tokens[index - 1]]
  if (!holder || (sign?.text !== ':' && sign?.text !== '=')) return undefined
  return holder.kind === 'string' ? holder.text.slice(1, -1) : holder.kind === 'word' ? holder.text : undefined
}
