import { sameDate } from './same-date.ts'
import { orderless, tokensOf, unquoted, type ValueToken } from './value-tokens.ts'

export type Difference =
  | 'type'
  | 'missing value'
  | 'trailing newline'
  | 'whitespace'
  | 'upper and lower case'
  | 'number format'
  | 'rounding'
  | 'date format'
  | 'order of keys'
  | 'order of items'

/** Two values that mean the same and are written or typed differently. */
export interface ValueMismatch {
  readonly difference: Difference
  /** The difference in a sentence: "The test expects a number, the code gives a text." */
  readonly message: string
  /** The smallest part that differs, as it is printed: `userId: 123` and `userId: "123"`. */
  readonly expected: string
  readonly received: string
}

/**
 * Whether what was expected and what came instead differ in type or format only: then code and test disagree about a format, and a
 * person knows which is right. `undefined` where they are the same or differ in what they say.
 */
export function valueMismatch(expected: string, received: string): ValueMismatch | undefined {
  if (expected === received || Math.max(expected.length, received.length) > LENGTH_MAX) return undefined
  if (isMissing(expected) && isMissing(received)) {
    const message = `The test expects ${expected.trim()}, the code gives ${received.trim()}.`
    return { difference: 'missing value', message, expected, received }
  }
  const types = typeDifference(expected, received)
  if (types) return types
  const [one, other] = [unquoted(expected), unquoted(received)]
  // Only the kind of quotes differs, which is how they were printed.
  if (one === other) return undefined
  const areTexts = one !== expected && other !== received
  const difference = CHECKS.find(([, isSame]) => isSame(one, other, areTexts))?.[0]
  if (difference === undefined) return undefined
  const message = difference === 'rounding' ? 'They differ by rounding.' : `They differ only in ${WORDS[difference]}.`
  return { difference, message, expected, received }
}

/** What is longer is not a value that a person would be asked about. */
const LENGTH_MAX = 20_000

const WORDS: Readonly<Record<Difference, string>> = {
  type: 'type',
  'missing value': 'how a missing value is given',
  'trailing newline': 'a newline at the end',
  whitespace: 'whitespace',
  'upper and lower case': 'upper and lower case',
  'number format': 'how a number is written',
  rounding: 'rounding',
  'date format': 'how a date or time is written',
  'order of keys': 'the order of keys',
  'order of items': 'the order of items',
}

/** The narrowest difference first: what differs only in a last newline also differs only in whitespace. */
const CHECKS: readonly (readonly [Difference, (one: string, other: string, areTexts: boolean) => boolean])[] = [
  ['trailing newline', (one, other) => withoutLastNewline(one) === withoutLastNewline(other)],
  ['whitespace', (one, other) => withoutSpace(one) === withoutSpace(other) && withoutSpace(one) !== ''],
  ['upper and lower case', (one, other) => one.toLowerCase() === other.toLowerCase()],
  ['number format', isSameNumber],
  ['rounding', isRounded],
  ['date format', sameDate],
  ['order of keys', (one, other) => orderless(one, '{') === orderless(other, '{')],
  ['order of items', (one, other) => orderless(one, '{[') === orderless(other, '{[')],
]

/** Value for value the same text, but here in quotes and there without. */
function typeDifference(expected: string, received: string): ValueMismatch | undefined {
  const ones = tokensOf(expected)
  const others = tokensOf(received)
  if (ones.length !== others.length) return undefined
  let found: ValueMismatch | undefined
  for (const [index, one] of ones.entries()) {
    const other = others[index]
    if (!other || one.text.trim() !== other.text.trim()) return undefined
    if (one.isQuoted === other.isQuoted || one.isKey) continue
    const isWhole = ones.length === 1
    const key = ones[index - 2]?.isKey ? `${ones[index - 2]?.text}: ` : ''
    found ??= {
      difference: 'type',
      message: `The test expects ${typeOf(one)}, the code gives ${typeOf(other)}.`,
      expected: isWhole ? expected : `${key}${printed(one)}`,
      received: isWhole ? received : `${key}${printed(other)}`,
    }
  }
  return found
}

function printed({ text, isQuoted }: ValueToken): string {
  return isQuoted ? JSON.stringify(text) : text
}

function typeOf({ text, isQuoted }: ValueToken): string {
  if (isQuoted) return `the text ${JSON.stringify(text)}`
  if (isNumber(text)) return `the number ${text}`
  return /^(?:true|false)$/i.test(text) ? `the boolean ${text}` : text
}

function isMissing(value: string): boolean {
  return /^(?:null|undefined|None|nil|NULL|NaN)$/.test(value.trim())
}

function withoutLastNewline(text: string): string {
  const plain = text.replaceAll(/\\r\\n|\\n|\r\n/g, '\n')
  let end = plain.length
  while (plain[end - 1] === '\n') end--
  return plain.slice(0, end)
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\\[nrt]|[\s\u200B\uFEFF]/g, '')
}

/** "1,234.50" and "1234.5", 1e3 and 1000. Two texts of digits alone may be versions or codes: "1.10" is not "1.1". */
function isSameNumber(one: string, other: string, areTexts: boolean): boolean {
  if (areTexts && isNumber(one) && isNumber(other)) return false
  const first = numberIn(one)
  return first !== undefined && first === numberIn(other) && Math.abs(first) < Number.MAX_SAFE_INTEGER
}

/** 0.30000000000000004 and 0.3. */
function isRounded(one: string, other: string, areTexts: boolean): boolean {
  const [first, second] = [numberIn(one), numberIn(other)]
  if (areTexts || first === undefined || second === undefined || first === second) return false
  const isWhole = Number.isInteger(first) && Number.isInteger(second)
  if (isWhole || Math.abs(first) >= Number.MAX_SAFE_INTEGER) return false
  return Math.abs(first - second) <= 1e-12 * Math.max(1, Math.abs(first))
}

/** A number with thousands separators, a sign of a currency or another decimal mark; `undefined` for any other text. */
function numberIn(text: string): number | undefined {
  const plain = text.trim().replace(/^([-+]?)\s*[$€£¥]\s*|\s*[$€£¥]$/g, '$1')
  if (isNumber(plain)) return Number(plain)
  if (/^[-+]?\d{1,3}(?:[,_ ']\d{3})+(?:\.\d+)?$/.test(plain)) return Number(plain.replaceAll(/[,_ ']/g, ''))
  if (/^[-+]?\d{1,3}(?:\.\d{3})*,\d+$/.test(plain)) return Number(plain.replaceAll('.', '').replace(',', '.'))
  return undefined
}

function isNumber(text: string): boolean {
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text.trim())
}
