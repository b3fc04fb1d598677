import { isClosed, nameEndingAt } from './around-value.ts'
import { isCode, isPlaceholder, mixesLettersAndDigits, sameWord } from './given-value.ts'
import type { SecretSpan } from './secret-span.ts'

/**
 * Finds the passwords that a file of settings, a shell or YAML gives to a name, up to the closing quotation mark or the end of the line:
 * `DB_PASSWORD="correct horse 9"`, `DB_PASSWORD_PROD=ab,cd`, `DB_PASSWORD: word # prod`. A name in capitals says so by itself; one in small
 * letters does where it begins the line and `=` stands right behind it. Elsewhere code and words say `password = value` all day long.
 */
export function findPasswordLines(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(NAME_AND_SIGN)) {
    const [whole, named = '', mark = '', sign = ''] = match
    const start = match.index + whole.length
    const name = nameEndingAt(text, match.index + named.length)
    const form = formOf(text, match.index + named.length - name.length, { name, sign, isQuoted: mark !== '' })
    if (form === undefined) continue
    const rest = /^.*/.exec(text.slice(start, start + VALUE_LENGTH_MAX))?.[0] ?? ''
    const quoted = QUOTED.exec(rest)
    const value = quoted ? (JOINED.exec(rest)?.[2] ?? quoted[2] ?? '') : unquotedIn(rest, form)
    if (!isSecretIn(form, { name, value, isQuoted: quoted !== null })) continue
    const first = quoted ? start + 1 : start
    const end = first + value.length
    spans.push({
      start: first,
      end,
      kind: 'password',
      ...(quoted && !value.includes('\\') && isClosed(text, start, first, end) ? { isExact: true } : {}),
    })
  }
  return spans
}

/** The same for a field of an event: its name may say which password it is, and its value may be of several words. */
export function isPasswordGiven(name: string, value: string): boolean {
  if (!PASSWORD_NAME.test(name)) return false
  return isSecretIn(/^[A-Z]/.test(name) ? 'setting' : 'field', { name, value, isQuoted: true })
}

const WHICH_ONE =
  '(?:_?v?[0-9]{1,4}|_(?:prod|production|dev|development|test|staging|live|local|ci|old|new|main|primary|default|backup))'
const PASSWORD = `pass(?:word|wd|phrase)${WHICH_ONE}{0,2}`
const PASSWORD_NAME = new RegExp(`${PASSWORD}$`, 'i')
const NAMES_ONE = new RegExp(`pass(?:word|wd|phrase)${WHICH_ONE}{1,2}$`, 'i')
const NAME_AND_SIGN = new RegExp(`(${PASSWORD})(["'\`]?)([ \\t]*[=:][ \\t]*)(?![=>:\\s])`, 'gi')
const VALUE_LENGTH_MAX = 400

/** A mark or a backslash within may be escaped; any other escape is one of JSON around it. */
const QUOTED = /^(["'`])((?:\\["'`\\$]|(?!\1)[^\\])*)/

/** What is joined to the closing mark belongs to the value: in JSON, a mark within it reads like one that ends it. */
const JOINED = /^(["'`])((?:(?!\1)[^\\])*\1\w.*)$/

/**
 * How a password is given to a name: by a shell or a file of its variables (`NAME=…`), by a line of settings (`NAME: …`, `NAME = …`), by a line
 * in small letters (`name=…`), or to a field in code and JSON.
 */
type Form = 'variable' | 'setting' | 'line' | 'field'

interface Naming {
  readonly name: string
  readonly sign: string
  readonly isQuoted: boolean
}

function formOf(text: string, nameStart: number, { name, sign, isQuoted }: Naming): Form | undefined {
  const before = text.slice(Math.max(0, nameStart - BEFORE_LENGTH_MAX), nameStart)
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) {
    if (sign === '=') return 'variable'
    if (isQuoted) return 'setting'
    return /[=\s]$/.test(sign) && BEGINS_SETTING.test(before) ? 'setting' : undefined
  }
  if (sign === '=' && !isQuoted && /^[a-z][a-z0-9_.-]*$/.test(name) && BEGINS_LINE.test(before)) return 'line'
  return NAMES_ONE.test(name) ? 'field' : undefined
}

const BEFORE_LENGTH_MAX = 60
const BEGINS_SETTING = /(?:^|\n)[-+>|]?[ \t]*(?:- |(?:export|set|env|arg) )?$/i
const BEGINS_LINE = /(?:^|\n)[-+ ]?(?:export )?$/

/** A value without quotation marks: in a shell one word, up to the next name; elsewhere all up to the end of the line or to a comment. */
function unquotedIn(rest: string, form: Form): string {
  const isWord = form === 'variable' || form === 'field'
  const value = isWord ? (/^[^\s"'`]*/.exec(rest)?.[0] ?? '') : rest.replace(/(?<!\s)\s+#.*$|\s+$/, '')
  const next = /[,;&]+(?=[\w.$-]{0,60}[=:(])/.exec(value)
  const one = next ? value.slice(0, next.index) : value
  return isWord ? one.replace(/(?<![,;&)}\]])[,;&)}\]]+$/, '') : one
}

interface Given {
  readonly name: string
  readonly value: string
  readonly isQuoted: boolean
}

function isSecretIn(form: Form, { name, value, isQuoted }: Given): boolean {
  if (value.length < 3 || isPlaceholder(value) || sameWord(value, name) || STATE.test(value)) return false
  if (!isQuoted && (isCode(value) || CODE_END.test(value))) return false
  const isMixed = mixesLettersAndDigits(value)
  if (/\s/.test(value)) return isPassphrase(form, value) && (isMixed || (isQuoted && form === 'variable'))
  if (form === 'field') return isMixed && value.length >= 6
  if (NAMES_ONE.test(name)) return value.length >= 6
  if (form === 'setting' && !isQuoted) return !YAML_SIGN.test(value) && !NAME_OF_ONE.test(value)
  return value.length >= 4 || !isQuoted
}

/** Several words, as long as they do not speak about passwords: labels and messages do. */
function isPassphrase(form: Form, value: string): boolean {
  return form !== 'field' && !SPEAKS_OF_ONE.test(value)
}

const SPEAKS_OF_ONE =
  /pass(?:word|wd|phrase)|\b(?:must|should|enter|your|please|invalid|wrong|incorrect|required|characters?|letters?|digits?)\b|[$<{(]|[=!]=|\|\||&&/i
const STATE =
  /^(?:yes|no|on|off|ok|set|unset|empty|missing|hidden|masked|enabled|disabled|invalid|wrong|incorrect|changed|default|password)$/i
const CODE_END = /[,;({]$/
const YAML_SIGN = /^(?:!\w|[|>][-+]?\d?$|[*&]\w+$)/

/** Another name, as code gives one to the other: `DB_PASSWORD = DEFAULT_PASSWORD`. */
const NAME_OF_ONE = /^[A-Za-z_]*(?:pass|Pass|PASS|pwd|PWD|[sS]ecret|SECRET|env|ENV)[A-Za-z_]*$|^[A-Z]+(?:_[A-Z]+)+$/
