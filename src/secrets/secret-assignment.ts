import { isClosed, nameEndingAt } from './around-value.ts'
import { isCode, isPlaceholder, mixesLettersAndDigits, sameWord } from './given-value.ts'
import { isPasswordGiven } from './password-line.ts'
import type { SecretSpan } from './secret-span.ts'

/** Ends of names that announce a secret, as a pattern. `PWD=` and `PASS:` alone are none: a folder and a test report. */
export const SECRET_WORD =
  'pass(?:word|wd|phrase)|[_-]pass|[_-]pwd|secret(?:[_-]?key(?:[_-]?base)?)?|token|(?:api|access|account|auth|private|encryption|signing|master)[_-]?key'

const NAME = new RegExp(`(${SECRET_WORD})$`, 'i')
const AUTHORIZATION = /authorization$/i
const SCHEME_AND_TOKEN = /^(?:[\w-]+ )?[^\s$<{[]{12,}$/
const FLAG = new RegExp(`^--?[a-z-]*(${SECRET_WORD})$`, 'i')
const ASSIGNMENT = new RegExp(`(${SECRET_WORD})\\\\?["'\`]?\\]?(?:: ?string)?([ \\t]*(?::=|=>|[:=])[ \\t]*| +)`, 'gi')
const VALUE = /\\?(["'`])((?:(?!\1)[^\\\n]){0,400})|([^\s"'`,;&]{1,400})/y

/** Finds what is given to a name like `DB_PASSWORD`, `apiKey` or `--token`, in shell, code, JSON, YAML and URLs. */
export function findAssignedSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(ASSIGNMENT)) {
    const [whole, word = '', operator = ''] = match
    VALUE.lastIndex = match.index + whole.length
    const value = VALUE.exec(text)
    if (value === null) continue
    const nameEnd = match.index + word.length
    if (isInMarker(text, nameEnd)) continue
    const name = nameEndingAt(text, nameEnd)
    const endsLine = /^[\r\n]?$/.test(text.slice(VALUE.lastIndex, VALUE.lastIndex + 1))
    const given = { word, name, operator, endsLine, quoted: value[1] !== undefined, value: value[2] ?? value[3] ?? '' }
    if (!isSecretGiven(given)) continue
    const [start, end] = [VALUE.lastIndex - given.value.length, VALUE.lastIndex]
    const isExact = given.quoted
      ? isClosed(text, match.index + whole.length, start, end)
      : isOneWord(text, nameEnd - name.length, end, given)
    spans.push({ start, end, kind: kindOf(word), ...(isExact ? { isExact } : {}) })
  }
  return spans
}

/** Without quotation marks a value ends for certain in the query of an address, and as the word behind a flag. Elsewhere it may go on behind a blank. */
function isOneWord(text: string, nameStart: number, end: number, { operator, value }: Given): boolean {
  if (value.includes('\\')) return false
  const after = text.charAt(end)
  if (operator.trim() === '') return /^\s?$/.test(after)
  return operator === '=' && /[?&]/.test(text.charAt(nameStart - 1)) && /^[\s"'`&]?$/.test(after)
}

/** Whether a name stands in `[redacted: NAME]`: what follows was not given to it. */
function isInMarker(text: string, nameEnd: number): boolean {
  return text.charAt(nameEnd) === ']' && /\[redacted: [^\]\n]*$/.test(text.slice(Math.max(0, nameEnd - 200), nameEnd))
}

/** The kind of secret a field of an event holds, judged by the field's name; `undefined` when it holds none. */
export function secretKindOfField(name: string, value: string): string | undefined {
  if (AUTHORIZATION.test(name) && SCHEME_AND_TOKEN.test(value) && mixesLettersAndDigits(value)) return 'authorization'
  if (isPasswordGiven(name, value)) return 'password'
  const word = NAME.exec(name)?.[1]
  if (word === undefined || !isSecretGiven({ word, name, operator: ':', endsLine: true, quoted: true, value })) return undefined
  return kindOf(word)
}

/** The same for a word of a command, judged by the flag before it (`--password`, `hunter2`). */
export function secretKindOfArgument(flag: string, value: string): string | undefined {
  const word = FLAG.exec(flag)?.[1]
  if (word === undefined || !isSecretGiven({ word, name: flag, operator: ':', endsLine: true, quoted: true, value }))
    return undefined
  return kindOf(word)
}

interface Given {
  readonly word: string
  readonly name: string
  readonly operator: string
  readonly endsLine: boolean
  readonly quoted: boolean
  readonly value: string
}

/** Source code says `token = next()` and `password: string` all day long; only what looks like a literal secret counts. */
function isSecretGiven({ word, name, operator, endsLine, quoted, value }: Given): boolean {
  if (value.length < 3 || isPlaceholder(value) || sameWord(value, name) || sameWord(value, word)) return false
  const isPassword = /^[_-]?(?:pass|pwd|secret)/i.test(word)
  if (operator.trim() === '') return name.startsWith('-') && value.length >= 6 && mixesLettersAndDigits(value)
  if (!quoted && isEnvironmentStyle(name, operator, endsLine)) return !isCode(value)
  if (/\s/.test(value)) return false
  if (quoted) return isPassword ? value.length >= 4 : value.length >= 8 && mixesLettersAndDigits(value)
  return value.length >= (isPassword ? 6 : 16) && mixesLettersAndDigits(value) && !isCode(value)
}

/** `NAME=value` anywhere, `NAME: value` as a line of YAML. */
function isEnvironmentStyle(name: string, operator: string, endsLine: boolean): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name) && (operator === '=' || (operator === ': ' && endsLine))
}

function kindOf(word: string): string {
  if (/key/i.test(word)) return 'key'
  if (/token/i.test(word)) return 'token'
  return /secret/i.test(word) ? 'secret' : 'password'
}
