import type { ValueMismatch } from '../core/patterns/value-mismatch.ts'
import { tokensOf, unquoted } from '../core/patterns/value-tokens.ts'
import type { Language } from './language.ts'

/** A way to turn a value into what is wanted of it. */
export interface Conversion {
  readonly prior: number
  /** `value` may be any expression. */
  readonly wrap: (value: string) => string
}

/** What would turn a value that is given into what is wanted, for two values that differ in type or format only; likelier ones first. */
export function conversionsFor(mismatch: ValueMismatch, { family }: Language): readonly Conversion[] {
  if (family === 'braces') return []
  const forms = (family === 'script' ? SCRIPT : PYTHON)[mismatch.difference]
  return forms === undefined ? [] : forms(mismatch).map((wrap, index) => ({ prior: 1 - index * 0.2, wrap }))
}

/** The same two values the other way round. */
export function turned({ difference, message, expected, received }: ValueMismatch): ValueMismatch {
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
    // Where only some of the values are numbers in quotes, the others stay as they are.
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

/** How numbers of this kind are written. */
function digits(text: string): string {
  return /^\d+$/.test(text) ? '\\d+' : '-?\\d+(\\.\\d+)?'
}

/** What is more than one value is put in brackets. */
function unit(value: string): string {
  return /^[\w$.[\]'"?]+$/.test(value) || /^[\w$.]+\([^()]*\)$/.test(value) ? value : `(${value})`
}

/** The value itself: a mismatch may name its key before it. */
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
