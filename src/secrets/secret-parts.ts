import { isSaidAboutSecret, isSecretName } from './secret-name.ts'

/**
 * What in a value is secret by itself: all of it without the quotation marks around it, each line, each entry of a list, the token behind its
 * scheme, the password behind its user, what it reads as when it is decoded, and the tokens within it where it is JSON.
 */
export function secretPartsOf(value: string): readonly string[] {
  // Most secrets are one token, and every process begins with this.
  const read = (ONE_TOKEN.test(value) ? [value] : tokensIn(value)).flatMap((token) => [token, ...decoded(token)])
  return [...new Set([...read, ...read.flatMap(passwordIn), ...secretsInJson(value)])]
}

const ONE_TOKEN = /^[\w.-]+$/

function tokensIn(value: string): readonly string[] {
  const whole = withoutQuotes(value)
  const lines = whole.split(/\r?\n|\\n/).map(withoutQuotes)
  const tokens = lines.flatMap((line) => [line, withoutQuotes(line.replace(SCHEME, ''))])
  return [whole, ...(lines.length === 1 ? tokens : tokens.filter((token) => !/\s/.test(token))), ...entriesIn(whole)]
}

/** `Bearer VALUE`, as headers hold it. */
const SCHEME = /^(?:bearer|basic|token)\s+/i

/** What stands between commas, semicolons or blanks, as far as it is no word of a sentence. */
function entriesIn(whole: string): readonly string[] {
  if (/^[{[]/.test(whole)) return []
  if (!/[\s,;]/.test(whole)) return valueBehindName(whole)
  return whole.split(/[\s,;]+/).flatMap((entry) => {
    const [, name, given = ''] = NAME_AND_VALUE.exec(entry) ?? []
    if (name !== undefined) return isSecretUnder(name, given) ? [withoutQuotes(given)] : []
    return isMixed(entry) ? [withoutQuotes(entry)] : []
  })
}

/** `session=VALUE`, as in a cookie. */
function valueBehindName(whole: string): readonly string[] {
  const [, name = '', given] = NAME_AND_VALUE.exec(whole) ?? []
  return given === undefined || isSaidAboutSecret(name) ? [] : [withoutQuotes(given)]
}

/** `Password=VALUE`, as in a connection string; the signs at the end of base64 are no value. */
const NAME_AND_VALUE = /^([A-Za-z][\w.-]*)=([^=].*)$/

/** Words have no digits, and hardly two capitals within them. */
export function isMixed(text: string): boolean {
  return (/\d/.test(text) && /[A-Za-z]/.test(text)) || /[a-z][A-Z].*[a-z][A-Z]/.test(text)
}

/** In a value that is secret: what has a name that says so, and under other names what could be nothing but a token. */
function isSecretUnder(name: string, value: string): boolean {
  return isSecretName(name) || (!isSaidAboutSecret(name) && /^[\w+/=-]{16,}$/.test(value) && isMixed(value))
}

/** Some writers of variables take the quotation marks along. Others do not, so that the value has to be known without them. */
export function withoutQuotes(text: string): string {
  let bare = text.trim()
  for (let layer = 0; layer < QUOTES_MAX; layer++) {
    const inner = /^(["'`])(.+)\1$/s.exec(bare)?.[2]
    if (inner === undefined) break
    bare = inner.trim()
  }
  return bare
}

/** Nobody has seen more than two within each other. */
const QUOTES_MAX = 4

/** `USER:PASSWORD`; neither an address nor a folder of Windows. */
const USER_AND_PASSWORD = /^[^\s:/\\"'`{}[\],]{1,100}:(?![/\\])(.+)$/

function passwordIn(part: string): readonly string[] {
  if (!part.includes(':')) return []
  const password = USER_AND_PASSWORD.exec(part)?.[1]
  return password === undefined ? [] : [withoutQuotes(password)]
}

/** Of what is encoded in base64 only what reads `USER:PASSWORD` is known for more than chance. */
function decoded(part: string): readonly string[] {
  if (BASE64.test(part)) {
    const text = Buffer.from(part, 'base64').toString('latin1')
    if (/^[ -~]+$/.test(text) && USER_AND_PASSWORD.test(text)) return [text]
  }
  if (!PERCENT_ENCODED.test(part)) return []
  try {
    return [decodeURIComponent(part)]
  } catch {
    // A per cent sign that encodes nothing: the value is what it is.
    return []
  }
}

const BASE64 = /^[\w+/-]{12,}={0,2}$/
const PERCENT_ENCODED = /%[0-9a-f]{2}/i

function secretsInJson(value: string): readonly string[] {
  const text = withoutQuotes(value)
  if (!text.startsWith('{') && !text.startsWith('[')) return []
  try {
    return secretsUnder(undefined, JSON.parse(text)).flatMap(secretPartsOf)
  } catch {
    // Not JSON: the value is what it is.
    return []
  }
}

/** A list by itself, without a name, holds what its variable is called after. */
function secretsUnder(name: string | undefined, value: unknown): readonly string[] {
  if (typeof value === 'string') return name === undefined || isSecretUnder(name, value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([each, inner]) => secretsUnder(Array.isArray(value) ? name : each, inner))
}
