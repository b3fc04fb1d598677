import { isPasswordName, isSecretName } from './secret-name.ts'
import { isMixed, withoutQuotes } from './secret-parts.ts'

/** A secret within a value, and whether it is one whatever it reads as. */
export interface SecretWithin {
  readonly value: string
  readonly isCertain: boolean
}

/**
 * What in the value of a variable is secret whatever the variable is called: passwords in addresses, headers whose name says so, what a
 * connection string or a query calls a secret, and the path of a webhook, which is all that guards it.
 */
export function secretsInVariable(name: string, value: string): readonly SecretWithin[] {
  return [
    ...(value.includes('@') ? inAddresses(value) : []),
    ...(value.includes(':') ? inHeaders(value) : []),
    ...(value.includes('=') ? inPairs(value, COOKIE.test(name)) : []),
    ...(WEBHOOK.test(name) ? inWebhooks(value) : []),
  ]
}

function inAddresses(value: string): readonly SecretWithin[] {
  return ADDRESS_SECRETS.flatMap((pattern) =>
    Array.from(value.matchAll(pattern), ([, secret = '']) => ({ value: secret, isCertain: true })),
  )
}

/** A password, one with a sign in it that should have been encoded, a token in the place of the user, and a password for the drivers of Go. */
const ADDRESS_SECRETS = [
  /:\/\/[^\s/:@]*:([^\s/@]+)@/g,
  /:\/\/[^\s/:@]*:([^\s/?#]+)@/g,
  /:\/\/(?=[^\s/:@]*[0-9])(?=[^\s/:@]*[A-Za-z])([^\s/:@]{16,})(?::[^\s/@]*)?@/g,
  /^[^\s/:@]+:(\S+)@(?:tcp|unix)\(/g,
]

function inHeaders(value: string): readonly SecretWithin[] {
  return Array.from(value.matchAll(HEADER), ([, header = '', said = '']) => ({ name: header, value: said }))
    .filter((header) => isSecretName(header.name.replaceAll('-', '_')))
    .map((header) => ({ value: header.value, isCertain: true }))
}

const HEADER = /^([A-Za-z][\w-]*):[ \t]+(.+)$/gm

/** Several lines are no connection string, but a script or a key. */
function inPairs(value: string, isCookie: boolean): readonly SecretWithin[] {
  const whole = withoutQuotes(value)
  if (/[\r\n]/.test(whole)) return []
  return PAIRS.flatMap(({ pattern, form, isAlone }) => {
    if (form && !form.test(whole)) return []
    const pairs = Array.from(whole.matchAll(pattern), ([, name = '', given = '']) => ({ name, given: withoutBraces(given) }))
    // A single one that goes on is the beginning of a command (`API_KEY=none npm test`), or its pairs are divided by other signs.
    if (pairs.length < 2 && !isAlone && /[\s,;]/.test(whole)) return []
    return pairs
      .filter(({ name }) => isCookie || isSecretInPair(name))
      .map(({ name, given }) => ({ value: given, isCertain: isPasswordInPair(name) }))
  })
}

interface Pairs {
  readonly pattern: RegExp
  /** What the whole must look like. */
  readonly form?: RegExp
  /** Set where one of them is enough, whatever stands around it. */
  readonly isAlone?: true
}

const QUOTED = String.raw`"[^"]{0,400}"|'[^']{0,400}'`
const WORD = String.raw`([A-Za-z][\w.-]{0,60})=(${QUOTED}|[^\s"']\S*|)`

/** `Server=db;User Id=me;Password=…`, `db:6379,password=…,ssl=true`, `host=db password=…` and `?user=me&password=…`. */
const PAIRS: readonly Pairs[] = [
  { pattern: new RegExp(String.raw`(?:^|;)\s*([A-Za-z][\w .-]{0,60}?)\s*=\s*(${QUOTED}|\{[^}]{0,400}\}|[^;]*)`, 'g') },
  { pattern: new RegExp(String.raw`(?:^|,)\s*([A-Za-z][\w .-]{0,60}?)\s*=\s*(${QUOTED}|[^,]*)`, 'g') },
  { pattern: new RegExp(String.raw`(?:^|\s)${WORD}`, 'g'), form: new RegExp(String.raw`^${WORD}(?:\s+${WORD})*$`) },
  { pattern: /[?&]([A-Za-z][\w.-]{0,60})=([^&#;\s]*)/g, isAlone: true },
]

function isSecretInPair(name: string): boolean {
  return isSecretName(asVariable(name)) || isPasswordInPair(name) || SIGNATURE.test(name)
}

/** `pwd` is a folder only as a variable. */
function isPasswordInPair(name: string): boolean {
  return /^pwd$/i.test(name) || isPasswordName(asVariable(name))
}

const SIGNATURE = /^sig$|signature$/i

function asVariable(name: string): string {
  return name.replaceAll(/[\s.-]+/g, '_')
}

/** ODBC has `{…}` where others have quotation marks. */
function withoutBraces(given: string): string {
  return withoutQuotes(given.replace(/^\{(.*)\}$/s, '$1'))
}

const COOKIE = /COOKIES?$/i
const WEBHOOK = /WEBHOOK/i

function inWebhooks(value: string): readonly SecretWithin[] {
  return Array.from(value.matchAll(PATH_OF_ADDRESS), ([, path = '']) =>
    path.split('/').findLast((segment) => TOKEN.test(segment) && isMixed(segment)),
  ).flatMap((token) => (token === undefined ? [] : [{ value: token, isCertain: true }]))
}

const PATH_OF_ADDRESS = /:\/\/[^\s/?#,;"']+\/([^\s?#,;"']*)/g
const TOKEN = /^[\w.~%-]{12,}$/
