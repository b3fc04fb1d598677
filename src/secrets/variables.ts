/** A secret that a variable holds, and whether it is one even if it reads as a host, a number or a file. */
export interface HeldSecret {
  readonly value: string
  readonly isCertain: boolean
}

/**
 * What is secret in a variable: all of it if its name says so; otherwise passwords in URLs, headers and pairs (`Password=…`) whose names say so,
 * and the token in a webhook's path.
 */
export function secretsIn(name: string, value: string): readonly HeldSecret[] {
  const found: HeldSecret[] = []
  const isWhichSecret = matches(WHICH_SECRET, name) && !matches(ABOUT_SECRET, name) && isMixed(value)
  const isFingerprint = PUBLIC_KEY_NAME.test(name) && FINGERPRINTS.test(value.trim())
  if ((isSecretName(name) || isWhichSecret) && !isFingerprint) found.push({ value, isCertain: isPasswordName(name) })
  for (const pattern of value.includes('://') || value.includes('@') ? URL_SECRETS : [])
    for (const [, secret = ''] of value.matchAll(pattern)) found.push({ value: secret, isCertain: true })
  for (const [, header = '', said = ''] of value.matchAll(/^([A-Za-z][\w-]*):[ \t]+(.+)$/gm))
    if (isSecretName(header)) found.push({ value: said, isCertain: true })
  for (const [, token = ''] of /WEBHOOK/i.test(name) ? value.matchAll(WEBHOOK_TOKEN) : [])
    if (isMixed(token)) found.push({ value: token, isCertain: true })
  return [...found, ...inPairs(value, /COOKIES?$/i.test(name))]
}

/** Many container images have a variable `GPG_KEY` with the fingerprint of a public key. */
const PUBLIC_KEY_NAME = /(?:^|_)(?:GPG|PGP)_(?:SIGNING_)?KEYS?$/i
const FINGERPRINTS = /^(?:(?:0x)?[0-9a-f]{40}(?:[\s,;]+|$))+$/i

/** A password, one with an `@` in it, a token in the user's place, and a password as Go's database drivers expect it. */
const URL_SECRETS = [
  /:\/\/[^\s/:@]*:([^\s/@]+)@/g,
  /:\/\/[^\s/:@]*:([^\s/?#]+)@/g,
  /:\/\/(?=[^\s/:@]*[0-9])(?=[^\s/:@]*[A-Za-z])([^\s/:@]{16,})(?::[^\s/@]*)?@/g,
  /^[^\s/:@]+:(\S+)@(?:tcp|unix)\(/g,
]
const WEBHOOK_TOKEN = /(?<=:\/\/[^\s?#,;"']+\/)([\w.~%-]{12,})(?=[/?#,;"'\s]|$)/g

/** `Server=db;User Id=me;Password=…`, `db:6379,password=…`, `host=db password=…` and `?user=me&password=…`. Several lines are a script or a key. */
function inPairs(value: string, isCookie: boolean): readonly HeldSecret[] {
  const whole = unquoted(value)
  if (!whole.includes('=') || /[\r\n]/.test(whole)) return []
  const sign = [';', ',', ' '].find((each) => whole.includes(each)) ?? ';'
  const parts = whole.split(sign).map((part) => /^\s*([A-Za-z][\w .-]{0,60}?)\s*=\s*(.*)$/.exec(part))
  const pairs = parts.filter((pair) => pair !== null)
  // A single pair followed by more, and words between pairs, are a command: `API_KEY=none npm test`.
  const isCommand = sign === ' ' ? pairs.length < parts.length : pairs.length < 2 && parts.length > 1
  return [...(isCommand ? [] : pairs), ...whole.matchAll(/[?&]([A-Za-z][\w.-]{0,60})=([^&#;\s]*)/g)].flatMap(
    ([, name = '', given = '']) => {
      const isPassword = /^pwd$/i.test(name) || isPasswordName(name)
      const isSecret = isCookie || isPassword || isSecretName(name) || /^sig$|signature$/i.test(name)
      return isSecret ? [{ value: unquoted(given), isCertain: isPassword }] : []
    },
  )
}

/**
 * What in a secret value is secret by itself: all of it without quotation marks, each line, each entry of a list, the token after `Bearer`, the
 * password after its user, what it decodes to, and the tokens in it if it is JSON.
 */
export function partsOf(value: string): readonly string[] {
  const whole = unquoted(value)
  const lines = whole.split(/\r?\n|\\n/).map(unquoted)
  const tokens = lines.flatMap((line) => [line, unquoted(line.replace(/^(?:bearer|basic|token)\s+/i, ''))])
  const read = [whole, ...(lines.length === 1 ? tokens : tokens.filter((token) => !/\s/.test(token))), ...entriesIn(whole)]
  const decoded = read.flatMap((token) => [token, ...decodedOf(token)])
  const passwords = decoded.flatMap((part) => USER_AND_PASSWORD.exec(part)?.[1] ?? []).map(unquoted)
  const inJson = /^[{[]/.test(whole)
    ? secretsUnder(
        undefined,
        attempt(() => JSON.parse(whole)),
      ).flatMap(partsOf)
    : []
  return [...new Set([...decoded, ...passwords, ...inJson])]
}

/** `USER:PASSWORD`, but neither a URL nor a Windows path. */
const USER_AND_PASSWORD = /^[^\s:/\\"'`{}[\],]{1,100}:(?![/\\])(.+)$/

function entriesIn(whole: string): readonly string[] {
  if (/^[{[]/.test(whole)) return []
  const entries = whole.split(/[\s,;]+/)
  return entries.flatMap((entry) => {
    const [, name, given = ''] = /^([A-Za-z][\w.-]*)=([^=].*)$/.exec(entry) ?? []
    if (name === undefined) return isMixed(entry) ? [unquoted(entry)] : []
    return isSecretUnder(name, given) || (entries.length === 1 && !matches(ABOUT_SECRET, name)) ? [unquoted(given)] : []
  })
}

/** Inside a secret value: what has a secret name, and under other names what can only be a token. */
function isSecretUnder(name: string, value: string): boolean {
  return isSecretName(name) || (!matches(ABOUT_SECRET, name) && /^[\w+/=-]{16,}$/.test(value) && isMixed(value))
}

/** Base64 counts only if it reads `USER:PASSWORD`: anything can be decoded to something. */
function decodedOf(part: string): readonly string[] {
  const text = /^[\w+/-]{12,}={0,2}$/.test(part) ? Buffer.from(part, 'base64').toString('latin1') : ''
  if (/^[ -~]+$/.test(text) && USER_AND_PASSWORD.test(text)) return [text]
  return part.includes('%') ? [attempt(() => decodeURIComponent(part)) ?? part] : []
}

function attempt<Value>(decode: () => Value): Value | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function secretsUnder(name: string | undefined, value: unknown): readonly string[] {
  if (typeof value === 'string') return name === undefined || isSecretUnder(name, value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([each, inner]) => secretsUnder(Array.isArray(value) ? name : each, inner))
}

/** Some tools keep the quotation marks around a variable's value. */
function unquoted(text: string): string {
  const inner = /^(["'`])(.+)\1$/s.exec(text.trim())?.[2]
  return inner === undefined ? text.trim() : unquoted(inner)
}

/** Words have no digits, and hardly two capitals within them. */
function isMixed(text: string): boolean {
  return (/\d/.test(text) && /[A-Za-z]/.test(text)) || /[a-z][A-Z].*[a-z][A-Z]/.test(text)
}

/** Whether a variable's name says that its value is a secret: `OPENAI_API_KEY`, `PGPASSWORD`, `myToken`, `GITHUB_TOKEN_2`; not `MAX_TOKENS`. */
export function isSecretName(name: string): boolean {
  return matches(SECRET_NAME, name) && !matches(ABOUT_SECRET, name)
}

/** Then a number or a host name is a secret, too. */
function isPasswordName(name: string): boolean {
  return matches(PASSWORD_NAME, name) && !matches(ABOUT_SECRET, name)
}

/** Compares a name in capitals, with `_` between its words and without a suffix that distinguishes several secrets of a kind. */
function matches(pattern: RegExp, name: string): boolean {
  const words = name
    .slice(-200)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s.-]+/g, '_')
  return pattern.test(words.toUpperCase().replace(SUFFIX, ''))
}

const SUFFIX =
  /(?:_V?\d|\d|_(?:PROD|PRODUCTION|DEV|DEVELOPMENT|TEST|STAGING|LIVE|SANDBOX|LOCAL|MAINNET|TESTNET|CI|OLD|NEW|CURRENT|DEFAULT|MAIN|PRIMARY|SECONDARY|BACKUP|VALUE|RAW|BASE64|HEX|JSON|CONFIG))+$/
const PASSWORD_NAME = /(?:PASSWORDS?|PASSWD|PASSPHRASES?)(?:_|$)|_PWD(?:_|$)|USERPWD$|(?:^|_)PASS$/
const TOKEN_NAME =
  '(?:^|_)(?:PATS?|PASS)|(?:TOKEN|CREDENTIALS?|CREDS|USERPWD)|(?:ACCESS|API|AUTH|BEARER|BOT|REFRESH|SECRET|SESSION)_?TOKENS|(?:ACCESS|ACCOUNT|API|PRIVATE|SECRET)KEYS?'
const SECRET_NAME = new RegExp(
  `${PASSWORD_NAME.source}|(?:SECRETS?|PRIVATE_?KEY)(?:_|$)|(?:${TOKEN_NAME}|(?:^|_)(?:KEYS?|O?AUTH|AUTHORIZATION|JWTS?|COOKIES?)|_SK)$`,
)
/** Names that say which secret it is: `API_KEY_OPENAI`. The value has to look like a secret, too. */
const INDEX_KEY = '(?:^|_)(?:CACHE|DATE|FOREIGN|IDEMPOTENCY|MODEL|PARTITION|PRIMARY|PROJECT|SORT)'
const WHICH_SECRET = new RegExp(`(?<!${INDEX_KEY})_KEYS?_|(?:${TOKEN_NAME})_`)
/** Names of values that are public or only say something about a secret: `STRIPE_PUBLIC_KEY`, `TOKEN_TTL`, `private_key_id`. */
const ABOUT_SECRET = new RegExp(
  [
    `(?:^|_)(?:PUBLIC|PUBLISHABLE)(?:_|$)|${INDEX_KEY}_KEYS?$|(?<!(?:API|ACCESS)_)KEY_(?:VAULT|RING|PAIR)$|(?<!(?:ROLE|VAULT)_SECRET)(?:^|_)IDS?$`,
    '_(?:EXPIRES|VALID|CREATED|UPDATED)_(?:AT|IN|UNTIL)$|(?:^|_)(?:METHOD|MODE|TYPE|KIND|PROVIDER|STRATEGY|POLICY|ALGORITHM|ALG|FORMAT|VERSION',
    'ENABLED|DISABLED|REQUIRED|SCHEME|SCHEMA|STYLE|PROTOCOL|CURVE|SPEC|USAGE|ENCODING|CHARSET|RULES|PATTERN|REGEX|TEMPLATE|HOSTS?|HOSTNAME',
    'DOMAINS?|URLS?|URIS?|ENDPOINT|PORT|SERVER|ADDRESS|SOCK|SOCKET|REGION|ZONE|CONTRACT|ISSUER|AUDIENCE|REALM|USER|USERNAME|EMAIL|SCOPES?|PREFIX',
    'SUFFIX|SEPARATOR|HEADERS?|NAMES?|PROFILE|ARN|ALIAS|LABEL|DESCRIPTION|HINT|FIELDS?|COLUMNS?|PARAM|PARAMETER|REF|ENV|VAR|VARIABLE|SOURCE',
    'BACKEND|HELPERS?|MANAGER|DRIVER|PLUGIN|CLASS|COMMAND|CMD|SCRIPT|PROGRAM|MODEL|KEYRING|FINGERPRINTS?|THROUGH|FILES?|FILENAME|PATHS?|DIR',
    'DIRECTORY|FOLDER|LOCATION|STORE|SIZE|LENGTH|BITS|TTL|EXPIRY|EXPIRES|EXPIRATION|LIFETIME|DURATION|TIMEOUT|INTERVAL|DAYS|HOURS|MINUTES|SECONDS',
    'LIMIT|MAX|MIN|COUNT|AGE|BUDGET|RATE|ROTATION|STATUS|WINDOW)$',
  ].join('|'),
)

/** Whether a value can be a secret at all. Variables with such names often hold short values, plain words, files and URLs instead of one. */
export function isSecretValue(value: string): boolean {
  if (value.length < 8 || /^[A-Za-z]?[a-z]{0,19}$|^[A-Z]{1,20}$/.test(value)) return false
  return LONG_TOKEN.test(value) || !/^(?:~|\.{1,2})?\/[^+=\s]*$|^[A-Za-z]:\\|^[a-z][\w+.-]*:\/\/[^\s@]*$/i.test(value)
}

/** Whether a value reads as a number, a file or a host, which a name alone doesn't make secret. */
export function isOpenValue(value: string): boolean {
  return (
    /^[-+]?\d{1,15}(?:\.\d{1,15})?$|^(?:[\w-][\w.-]*\/)+[\w.-]*\.[a-z]{1,5}$/.test(value) ||
    (HOST.test(value) && !LONG_TOKEN.test(value))
  )
}

const HOST =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|localhost|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|cloud|local|internal|lan|svc|test|example|invalid|[a-z]{2})|[a-z][a-z0-9-]*(?=:\d{2}))(?::\d{1,5})?$/

/** Hardly a folder or host has such a name. */
const LONG_TOKEN = /(?<![A-Za-z0-9+])(?=[A-Za-z0-9+]*[a-z])(?=[A-Za-z0-9+]*[A-Z])(?=[A-Za-z0-9+]*[0-9])[A-Za-z0-9+]{20,}/
