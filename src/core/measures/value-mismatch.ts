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
 * person knows which is right. `undefined` if they are the same or differ in meaning.
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

/** A piece of a printed value: a text without its quotes, a bare word or number, or a sign. */
export interface ValueToken {
  readonly text: string
  readonly isQuoted: boolean
  /** An object's key: whether it is in quotes means nothing. */
  readonly isKey: boolean
}

/** Takes a printed value apart. Space between the pieces and commas before a closing bracket do not count. */
export function tokensOf(value: string): readonly ValueToken[] {
  const tokens: ValueToken[] = []
  for (const [piece] of value.matchAll(PIECES)) {
    const isQuoted = isQuote(piece[0]) && piece.length > 1
    if (piece === ':' || piece === '=' || piece === '=>') markKey(tokens)
    if (CLOSING.test(piece) && tokens.at(-1)?.text === ',') tokens.pop()
    tokens.push({ text: isQuoted ? piece.slice(1, -1) : piece, isQuoted, isKey: false })
  }
  if (tokens.at(-1)?.text === ',') tokens.pop()
  return tokens
}

/** The value without quotes around the whole of it. */
export function unquoted(value: string): string {
  const text = value.trim()
  const isWhole = text.length > 1 && isQuote(text[0]) && text.at(-1) === text[0] && !text.slice(1, -1).includes(text[0] ?? '')
  // Text outside of quotes is not trimmed: the space may be what differs.
  return isWhole ? text.slice(1, -1) : value
}

/** The value, sorted inside the given kinds of brackets; the same for values that differ only in that order. */
function orderless(value: string, brackets: string): string {
  const tokens = tokensOf(value)
  let position = 0
  const group = (closing: string | undefined, isSorted: boolean, depth = 0): string => {
    const parts: string[] = []
    let part = ''
    let end = ''
    while (position < tokens.length) {
      const token = tokens[position++]
      if (!token) break
      const sign = token.isQuoted ? undefined : token.text
      if (sign !== undefined && sign === closing) {
        end = sign
        break
      }
      if (sign === ',') {
        parts.push(part)
        part = ''
      } else if ((sign === '{' || sign === '[') && depth < DEPTH_MAX) {
        part += `${sign}${group(sign === '{' ? '}' : ']', brackets.includes(sign), depth + 1)}`
      } else part += `${token.isQuoted && !token.isKey ? JSON.stringify(token.text) : token.text} `
    }
    const all = [...parts, part]
    return `${(isSorted ? all.toSorted() : all).join(',')}${end}`
  }
  return group(undefined, false)
}

/** Deeper values are compared as they are. */
const DEPTH_MAX = 100

const PIECES = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|=>|[{}[\](),:=]|[^\s"'`{}[\](),:=]+|["'`]/g

const CLOSING = /^[}\])]$/

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'" || character === '`'
}

function markKey(tokens: ValueToken[]): void {
  const key = tokens.pop()
  if (key) tokens.push({ ...key, isKey: true })
}

/**
 * Whether two texts are one date or moment, written differently: the same moment in another zone or without one, the same day with and
 * without a time, the same day in another order of day, month and year, or as seconds since the epoch.
 */
function sameDate(one: string, other: string): boolean {
  const isDayEnough = !one.includes(':') || !other.includes(':')
  // A zone that was lost on the way is a format, too; where both name theirs, only the moment counts.
  const isClockEnough = !(hasZone(one) && hasZone(other))
  const first = datesIn(one, isDayEnough, isClockEnough)
  const second = datesIn(other, isDayEnough, isClockEnough)
  if (first.length === 0 || second.length === 0 || (isEpoch(one) && isEpoch(other))) return false
  return first.some((moment) => second.includes(moment))
}

function hasZone(value: string): boolean {
  return ISO.exec(value.trim())?.groups?.['zone'] !== undefined
}

/** Every moment the text may mean, in milliseconds since the epoch. */
function datesIn(value: string, isDayEnough: boolean, isClockEnough: boolean): readonly number[] {
  const text = value.trim()
  const iso = ISO.exec(text)?.groups
  if (iso) return [...isoMoments(iso, isClockEnough), ...(isDayEnough ? [dayOf(iso)] : [])]
  const parts = /^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})$/.exec(text)?.slice(1).map(Number)
  if (parts) return orders(parts)
  return isEpoch(text) ? [Number(text) * (text.length > 10 ? 1 : 1000)] : []
}

const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?)?\s?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/

function isoMoments(groups: Readonly<Record<string, string | undefined>>, isClockEnough: boolean): readonly number[] {
  const at = (name: string): number => Number(groups[name] ?? 0)
  const fraction = Math.floor(Number(`0.${groups['fraction'] ?? '0'}`) * 1000)
  const wall = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'), fraction)
  const zone = /^([+-])(\d\d):?(\d\d)$/.exec(groups['zone'] ?? '')
  if (!zone) return [wall]
  const offsetMs = (Number(zone[2]) * 60 + Number(zone[3])) * 60_000
  const moment = zone[1] === '-' ? wall + offsetMs : wall - offsetMs
  return isClockEnough ? [moment, wall] : [moment]
}

function dayOf({ year, month, day }: Readonly<Record<string, string | undefined>>): number {
  return Date.UTC(Number(year), Number(month) - 1, Number(day))
}

function orders([first = 0, second = 0, third = 0]: readonly number[]): readonly number[] {
  const candidates =
    first > 31
      ? [[first, second, third]]
      : [
          [third, first, second],
          [third, second, first],
        ]
  return candidates.flatMap(([year = 0, month = 0, day = 0]) =>
    year > 999 && month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [Date.UTC(year, month - 1, day)] : [],
  )
}

/** Ten digits are seconds, thirteen are milliseconds. */
function isEpoch(text: string): boolean {
  return /^(?:\d{10}|\d{13})$/.test(text.trim())
}
