/**
 * Finds secrets by our own rules: what secretlint's preset doesn't know (JWTs, passwords given to names, URLs of any scheme), and the best-known
 * tokens once more and less strictly, since a token of an unexpected length is still a token.
 */
export function findByOwnRules(text: string): readonly SecretSpan[] {
  return [
    ...findPrivateKeys(text),
    ...findAssigned(text),
    ...findUrlPasswords(text),
    ...TOKENS.flatMap((rule) => findTokens(text, rule)),
  ]
}

interface TokenRule {
  readonly kind: string
  /** The secret is its first group, which must end it, or all of it. */
  readonly pattern: RegExp
  /** `line` if more of the secret is often beside it, `open` if nobody can tell where it ends. */
  readonly end?: 'line' | 'open'
  readonly isSecret?: (secret: string) => boolean
}

function findTokens(text: string, { kind, pattern, end: ending, isSecret }: TokenRule): readonly SecretSpan[] {
  return Array.from(text.matchAll(pattern), ({ 0: match, 1: first, 2: secret = first ?? match, index }) => {
    const end = index + match.length
    const span = { start: end - secret.length, end, kind }
    if (isSecret?.(secret) === false) return []
    if (ending !== undefined) return [{ ...span, takesLine: ending === 'line' }]
    REST_OF_TOKEN.lastIndex = end
    return [{ ...span, end: end + (REST_OF_TOKEN.exec(text)?.[0].length ?? 0), isExact: true }]
  }).flat()
}

const REST_OF_TOKEN = /(?:[\w.~+=-]{0,400}[\w~+=-])?/y

/** A token begins where no letter or digit is before it, or right after a colour code (`[32m`) or an encoded character of a URL (`%3D`). */
function token(kind: string, { source }: RegExp, more: Pick<TokenRule, 'end' | 'isSecret'> = {}): TokenRule {
  return { kind, pattern: new RegExp(`(?<![A-Za-z0-9](?<!\\[[0-9;]{0,20}[mK]|%[0-9A-Fa-f]{2}))${source}`, 'g'), ...more }
}

const NETRC = /\b(?:machine\s{1,20}\S{1,200}|default)\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(\S{3,200})/g
const CURL = /\bcurl (?=.{0,400}:\/\/)(?:[^\n|;]{0,200} )?(?:-u|--user)[ =]?["']?[^\s:"'$]{1,80}:([^\s"']{3,200})/g
/** `-pPASSWORD`, without a blank between them. */
const MYSQL = /\bmysql(?:dump|admin|import|show|check)?\b[^\n|;&]{0,200}? -p(?:["']([^"'$\n]{3,200})(?=["'])|([^\s"'$<]{3,200}))/g
const COOKIE = /\bset-cookie["']?\s{0,4}[:=]\s{0,4}["'[]{0,2}[\w.%-]{1,80}=([^\s;,"'$<{]{12,4000})/gi
const XML = /pass(?:word|wd|phrase)>([^<>\s]{4,200})(?=<\/)/gi
/** Also without a dot, so that a long run is read once and not from every `eyJ` in it. */
const JWT = /eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?)?/g

const TOKENS: readonly TokenRule[] = [
  token('aws', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/, { end: 'line' }),
  token('twilio', /SK[a-f0-9]{32}(?![A-Za-z0-9])/, { end: 'line' }),
  token('github', /(?:gh[oprsu]|github_pat)_[A-Za-z0-9_]{20,}/),
  token('npm', /npm_[A-Za-z0-9]{30,}/),
  token('slack', /(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/),
  token('anthropic', /sk-ant-[A-Za-z0-9_-]{20,}/),
  token('openrouter', /sk-or-[A-Za-z0-9-]{24,}/),
  token('openai', /sk-[A-Za-z0-9_-]{32,}/, { isSecret: looksRandom }),
  token('google', /(?:AIza|GOCSPX-|ya29\.)[A-Za-z0-9_-]{24,}/),
  token('stripe', /(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/),
  token('gitlab', /gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,}/),
  token('hugging-face', /hf_[A-Za-z0-9]{30,}/),
  token('model-provider', /(?:xai|pplx|csk|gsk)[-_][A-Za-z0-9_-]{30,}/, { isSecret: looksRandom }),
  token('replicate', /r8_[A-Za-z0-9]{30,}/),
  token('pypi', /pypi-AgE[A-Za-z0-9_-]{30,}/),
  token('digitalocean', /do[opr]_v1_[a-f0-9]{40,}/),
  token('supabase', /sbp_[a-f0-9]{32,}/),
  token('databricks', /dapi[a-f0-9]{32}/, { end: 'open' }),
  token('telegram', /\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/),
  token('telegram', /api\.telegram\.org\/(?:file\/)?bot(\d{5,12}:[A-Za-z0-9_-]{20,})/),
  token('notion', /(?:ntn_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{40,})/, { isSecret: looksRandom }),
  token('fly', /f(?:m[12][a-z]?|o1)_[A-Za-z0-9+/=_-]{30,}/),
  token('age', /AGE-SECRET-KEY-1[A-Z0-9]{20,}/),
  token('atlassian', /AT(?:ATT|CTT)3[A-Za-z0-9_=.-]{20,}/),
  token('airtable', /pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}/),
  { kind: 'airtable', pattern: /\bairtable\b.{0,40}?\b(key[A-Za-z0-9]{14})(?![A-Za-z0-9])/gi, isSecret: looksRandom },
  token('facebook', /(?<!sha\d{3}-|[+/])EAA[A-Za-z0-9]{60,}/, { isSecret: (secret) => /[A-Z].*[A-Z]/.test(secret.slice(4)) }),
  { kind: 'private-key', pattern: /client-key-data\\?["']?\s*:\s*\\?["']?([A-Za-z0-9+/=]{20,})/g },
  { kind: 'cookie', pattern: COOKIE, isSecret: isMixed },
  { kind: 'docker-auth', pattern: /\\?["']auth\\?["']\s*:\s*\\?["']([A-Za-z0-9+/]{8,}={0,2})/g, isSecret: isUserAndPassword },
  { kind: 'password', pattern: MYSQL, isSecret: (secret) => isNoPlaceholder(secret) && !secret.startsWith('[') },
  { kind: 'jwt', pattern: JWT, isSecret: (secret) => secret.includes('.') },
  { kind: 'authorization', pattern: /\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})/gi, isSecret: looksRandom },
  {
    kind: 'authorization',
    pattern: /\bauthorization["']?\s*[:=]\s*["']?(?:token\s+)?([^\s"',;$<{]{12,})/gi,
    end: 'open',
    isSecret: looksRandom,
  },
  { kind: 'password', pattern: XML, isSecret: isNoPlaceholder },
  { kind: 'password', pattern: NETRC, end: 'open', isSecret: isNoPlaceholder },
  { kind: 'password', pattern: CURL, end: 'open', isSecret: isNoPlaceholder },
]

/** A class name or a flag has letters and hyphens; a token also has digits, and either capitals or no hyphen. */
function looksRandom(secret: string): boolean {
  return isMixed(secret) && (/[A-Z]/.test(secret.slice(1)) || !secret.slice(3).includes('-'))
}

function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && /[0-9]/.test(value)
}

/** What `docker login` keeps: `USER:PASSWORD` in base64. */
function isUserAndPassword(secret: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]{1,200}:[\x20-\x7e]{3,}$/.test(Buffer.from(secret, 'base64').toString('latin1'))
}

function isNoPlaceholder(secret: string): boolean {
  return !PLACEHOLDER.test(secret)
}

/** `$NAME`, `<your key>`, `***`, a type, a state, or the mark of a secret that was taken out, which a cut may have shortened. */
const PLACEHOLDER = new RegExp(
  [
    String.raw`^[$<{]|^%\w+%$|\$\{|\{\{|^\*+$|^x+$|^\.+$|^\[(?:redacted|r?e?d?a?c?t?e?d?…?$)`,
    '^(?:string|str|bool|boolean|number|true|false|null|none|nil|undefined|unknown|any|required|optional|never)(?![\\w-])',
    '^(?:yes|no|on|off|ok|set|unset|empty|missing|hidden|masked|enabled|disabled|invalid|wrong|incorrect|changed|default|password)$',
  ].join('|'),
  'i',
)

/** Passwords in URLs (`://USER:PASSWORD@HOST`), with the user if that looks like a token. */
function findUrlPasswords(text: string): readonly SecretSpan[] {
  return Array.from(text.matchAll(/:\/\/([^\s/:"'<>]{0,200}):([^\s/@"'<>]{1,4000})@(?!sha\d)/g))
    .filter(([, , password = '']) => !/^\$|^%[a-z_]\w*%$|[{[]|^\*+$|^x+$/i.test(password))
    .map(({ 0: whole, 1: user = '', 2: password = '', index }) => {
      const at = index + whole.length
      const [, host = '', path = ''] = /^([^\s/?#"'<>\\]*)([^\s"'<>\\]*)/.exec(text.slice(at, at + 800)) ?? []
      const isUserToken = password === 'x-oauth-basic' || (user.length >= 16 && isMixed(user))
      const start = at - 1 - password.length - (isUserToken ? user.length + 1 : 0)
      // An `@` in the path may belong to the password as well: then nobody can tell where it ends.
      return { start, end: at + host.lastIndexOf('@'), kind: 'url-password', isExact: !/[^/]@/.test(path) }
    })
}

/** Private keys, and what is left of one if the output was cut in the middle of it. */
function findPrivateKeys(text: string): readonly SecretSpan[] {
  const marks = text.matchAll(/-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----/g)
  return Array.from(marks, ({ 0: mark, 1: side, index }) => {
    if (side === 'END') {
      const before = text.slice(Math.max(0, index - KEY_LENGTH_MAX), index).split('\n')
      return { start: index - lengthOfKey(before.toReversed()), end: index + mark.length, kind: 'private-key' }
    }
    const end = text.indexOf('-----END ', index)
    const isWhole = end !== -1 && end - index < KEY_LENGTH_MAX && text.lastIndexOf('-----BEGIN ', end) === index
    const rest = isWhole ? end - index : lengthOfKey(text.slice(index, index + KEY_LENGTH_MAX).split('\n'))
    return { start: index, end: index + rest, kind: 'private-key' }
  })
}

const KEY_LENGTH_MAX = 20_000

/** The length of those lines that belong to a key, of which the first does: base64 (quoted, indented or with a diff's sign), a header, or nothing. */
function lengthOfKey(lines: readonly string[]): number {
  const end = lines.findIndex(
    (line, index) => index > 0 && (line.length > 200 || !(index === 1 ? SHORT_KEY_LINE : KEY_LINE).test(line)),
  )
  return lines.slice(0, end === -1 ? lines.length : end).join('\n').length
}

const KEY_LINE =
  /^[\s+\-|>"'`]*(?:[A-Za-z0-9+/=]{16,}[^A-Za-z0-9]?[A-Za-z]?[\s"'`,+\\]*|(?:Proc-Type|DEK-Info|Version|Comment):.*)?$/
/** Beside a mark a line can be short. */
const SHORT_KEY_LINE =
  /^[\s+\-|>"'`]*(?:[A-Za-z0-9+/=]*[^A-Za-z0-9]?[A-Za-z]?[\s"'`,+\\]*|(?:Proc-Type|DEK-Info|Version|Comment):.*)$/

/** Ends of names that announce a secret. `PWD=` and `PASS:` alone don't: a folder and a test report. */
export const SECRET_WORD = [
  'pass(?:word|wd|phrase)(?:_?v?[0-9]{1,4}|_(?:prod|production|dev|development|test|staging|live|local|ci|old|new|main|default|backup)){0,2}',
  '[_-]pass|[_-]pwd|secret(?:[_-]?key(?:[_-]?base)?)?|token|(?:api|access|account|auth|private|encryption|signing|master)[_-]?key',
].join('|')

const ASSIGNMENT = new RegExp(`(${SECRET_WORD})(\\\\?["'\`]?)\\]?(?:: ?string)?([ \\t]*(?::=|=>|[:=])[ \\t]*| +)`, 'gi')

/** After an escaped quotation mark up to the next escape; after a plain one up to the closing one; otherwise one word. */
const VALUE = /\\(["'`])([^\\\n]{0,400}?)(?=\\|\1|\n|$)|(["'`])((?:\\["'`\\$]|(?!\3)[^\\\n]){0,400})|((?!&)[^\s"'`]{1,400})/y

/** Without quotation marks: up to the next name, and without the punctuation at the end. */
const UNQUOTED = /^.*?(?=[,;&]+[\w.$-]{0,60}[=:(]|[,;&)}\]]*$)/

interface Given {
  readonly name: string
  /** The end of the name that announces a secret. */
  readonly word: string
  readonly operator: string
  readonly value: string
  readonly isQuoted: boolean
  /** Set if the form of the line says that this is a setting: `NAME=…` anywhere, `NAME: …` and `name=…` as their own line. */
  readonly isSetting: boolean
}

/** What is given to a name like `DB_PASSWORD`, `apiKey` or `--token`, in shell, code, JSON, YAML and URLs. */
function findAssigned(text: string): readonly SecretSpan[] {
  return Array.from(text.matchAll(ASSIGNMENT)).flatMap(({ 0: whole, 1: word = '', 2: mark = '', 3: operator = '', index }) => {
    const [nameEnd, opening] = [index + word.length, index + whole.length]
    VALUE.lastIndex = opening
    const found = VALUE.exec(text)
    const [, before = '', name = ''] = /([^]*?)([\w.-]*)$/.exec(text.slice(Math.max(0, nameEnd - 140), nameEnd)) ?? []
    // In `[redacted: NAME]=…` nothing was given to NAME.
    if (found === null || (text.charAt(nameEnd) === ']' && /\[redacted: [^\]\n]*$/.test(before))) return []
    const quoted = found[2] ?? found[4]
    const value = quoted ?? UNQUOTED.exec(found[5] ?? '')?.[0] ?? ''
    const start = VALUE.lastIndex - (quoted ?? found[5] ?? '').length
    const end = start + value.length
    const isSetting = mark === '' && isSettingLine(before, text.slice(end, end + 60), { name, word, operator })
    if (!isSecretGiven({ name, word, operator, value, isQuoted: quoted !== undefined, isSetting })) return []
    const isExact =
      quoted === undefined ? isOneWord(before, text.charAt(end), operator, value) : isClosed(text, opening, start, end)
    return [{ start, end, kind: kindOf(word), isExact: isExact && !value.includes('\\') }]
  })
}

function isSettingLine(
  before: string,
  after: string,
  { name, word, operator }: Pick<Given, 'name' | 'word' | 'operator'>,
): boolean {
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name)
  if (isVariable && operator === '=') return true
  if (!/^[ \t]*(?:\r?\n|$|#)/.test(after)) return false
  if (!isVariable) return operator === '=' && /^pass/i.test(word) && /(?:^|\n)[-+ ]?(?:export )?$/.test(before)
  return (operator === ': ' || /^pass/i.test(word)) && /(?:^|\n)[-+>|]?[ \t]*(?:- |(?:export|set|env|arg) )?$/i.test(before)
}

/** Code says `token = next()` and `password: string` all day long; only what looks like a literal secret counts. */
function isSecretGiven({ name, word, operator, value, isQuoted, isSetting }: Given): boolean {
  const isItsName = [name, word].some((each) => value.toLowerCase() === each.toLowerCase().replace(/^[_-]+/, ''))
  if (value.length < 3 || PLACEHOLDER.test(value) || isItsName) return false
  if (operator.trim() === '') return name.startsWith('-') && value.length >= 6 && isMixed(value)
  if (/\s/.test(value))
    return /^[A-Z]/.test(name) && /^pass/i.test(word) && !SENTENCE.test(value) && (isMixed(value) || operator === '=')
  const isPassword = /^[_-]?(?:pass|pwd|secret)/i.test(word)
  if (isQuoted) return isPassword ? value.length >= 4 : value.length >= 8 && isMixed(value)
  if (isSetting && operator === '=') return !/^[\w.]+[([]/.test(value)
  if (isSetting) return !CODE.test(value) && !NAME_OF_VALUE.test(value)
  return value.length >= (isPassword ? 6 : 16) && isMixed(value) && !CODE.test(value)
}

/** Names with dots, and calls. */
const CODE = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*(?:(?<=\.[\w$]*)|[([].*)$/
const SENTENCE =
  /pass(?:word|wd|phrase)|\b(?:must|should|enter|your|please|invalid|wrong|incorrect|required|characters?|letters?|digits?)\b|[$<{(]|[=!]=|\|\||&&/i
/** Another name, as code assigns one to the other, or an anchor of YAML. */
const NAME_OF_VALUE = /^[A-Za-z_]*(?:pass|Pass|PASS|pwd|PWD|[sS]ecret|SECRET|env|ENV)[A-Za-z_]*$|^[A-Z]+(?:_[A-Z]+)+$|^[*&]\w+$/

/** Without quotation marks a value certainly ends in the query of a URL and as the word after a flag. Elsewhere it can continue after a blank. */
function isOneWord(before: string, after: string, operator: string, value: string): boolean {
  if (/[,;&]/.test(value)) return false
  return operator.trim() === '' ? /^\s?$/.test(after) : operator === '=' && /[?&]$/.test(before) && /^[\s"'`&]?$/.test(after)
}

/** Whether the mark that opens a value, escaped or not, also closes it, and nothing is joined to it: `''`, `"one" + "more"`. */
function isClosed(text: string, opening: number, start: number, end: number): boolean {
  const mark = text.slice(opening, start)
  const after = text.slice(end + mark.length, end + mark.length + 20)
  const joined = /^[ \t]*(?:\+|\.{1,2}|\|\||&)?[ \t]*(\\?)["'`]/.exec(after)?.[1]
  return text.startsWith(mark, end) && !/^\w/.test(after) && joined?.length !== mark.length - 1
}

function kindOf(word: string): string {
  return /key/i.test(word) ? 'key' : (/token|secret/i.exec(word)?.[0].toLowerCase() ?? 'password')
}

/** The kind of secret in a field, judged by its name, or in a word of a command, judged by the flag before it; undefined if it isn't one. */
export function kindOfNamed(name: string, value: string): string | undefined {
  if (/authorization$/i.test(name) && /^(?:[\w-]+ )?[^\s$<{[]{12,}$/.test(value) && isMixed(value)) return 'authorization'
  if (/^client-key-data$/.test(name) && /^[A-Za-z0-9+/=]{20,}$/.test(value)) return 'private-key'
  if (/^set-cookie$/i.test(name) && isMixed(value)) return 'cookie'
  if (name === 'auth' && isUserAndPassword(value)) return 'docker-auth'
  const word = NAME_OF_SECRET.exec(name)?.[1]
  if (word === undefined) return undefined
  return isSecretGiven({ name, word, operator: ':', value, isQuoted: true, isSetting: false }) ? kindOf(word) : undefined
}

const NAME_OF_SECRET = new RegExp(`(${SECRET_WORD})$`, 'i')

/** Where a secret is in a text, and of what kind it is: `github`, `password`, `private-key`, or the name of a variable. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Set if it is the whole secret and nothing else: the rest of its line stays. */
  readonly isExact?: boolean
  /** Set if more of the secret is beside it: its line goes, even if its own place is known exactly. */
  readonly takesLine?: boolean
}

/** In order; spans that touch or overlap become one. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
  }
  return merged
}
