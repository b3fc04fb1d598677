import { hasKnownSecret } from './known-values.ts'
import { SECRET_WORD } from './rules.ts'

/**
 * Says in a few microseconds whether a text, plain or JSON, could hold a secret at all: yes may be wrong, no hardly ever is. The real search
 * costs twenty times as much, too much for every small event.
 */
export function hasSecretHint(text: string): boolean {
  if (text.length < SECRET_LENGTH_MIN) return false
  return (PIECE.test(text) && PATTERNS.some((pattern) => pattern.test(text))) || hasTokenLikeRun(text) || hasKnownSecret(text)
}

/** `_pass=abc` is about the shortest secret that a rule finds. */
const SECRET_LENGTH_MIN = 8

/** A piece of everything that the patterns look for: without one they need not look. Every effect has a `key`, so that alone doesn't count. */
const PIECE = /ss[wp]|[_-]p[aw]|ecr|ken[^a-z0-9_]|[a-z_ -]key|arer|sic |riza|-cook|-data|ysql|uth["'\\]|:[/\\]{2}/i

const PATTERNS = [
  new RegExp(
    `(?:${SECRET_WORD})["'\`\\\\\\]:=,&\\s\\u001b>]|private key|bearer|basic |authorization|[a-z_-]key["'\`\\\\\\]:=,&\\s]`,
    'i',
  ),
  /:(?:\\?\/){2}[^\s/":]*:[^\s/"]*@/,
  /curl .{0,200}-u/,
  /set-cookie|client-key-data|mysql.{0,200} -p|["']auth\\?["']/i,
]

/** Beginnings of tokens that need not mix capitals, small letters and digits. */
const TOKEN_PREFIX =
  /AKIA|ASIA|ABIA|ACCA|A3T|A[GIRN][DPOV]A|gh[oprsu]_|npm_|xox|xapp|sk[-_]|rk_|dapi|hf_|ntn_|lin_api|shp|gl[a-z]*[-_]|tskey|vc[a-z]_|cf[a-z]*_|figd|dckr|xai[-_]|pplx[-_]|csk[-_]|gsk[-_]|r8_|pypi-|do[opr]_v|sbp_|SK[0-9a-f]|AGE-SECRET|fo1_|fm[12][a-z]?_/

/**
 * Hashes and UUIDs are hexadecimal, names in code have no digits; a token mixes everything or has a known beginning. Every run of that length
 * covers one of the places that are looked at, so most characters never are: every event and text passes here.
 */
function hasTokenLikeRun(text: string): boolean {
  for (let at = RUN_LENGTH_MIN - 1; at < text.length; at += RUN_LENGTH_MIN) {
    let kinds = kindAt(text, at)
    if (kinds === 0) continue
    let start = at
    for (let kind = 0; start > 0 && (kind = kindAt(text, start - 1)) !== 0; start--) kinds |= kind
    for (let kind = 0; ++at < text.length && (kind = kindAt(text, at)) !== 0;) kinds |= kind
    if (at - start < RUN_LENGTH_MIN || !(kinds & (CAPITAL | LETTER_BEYOND_HEX))) continue
    if (isTokenLike(text.slice(start, at), kinds)) return true
  }
  return false
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (KINDS[code] as number) : 0
}

function isTokenLike(run: string, kinds: number): boolean {
  const isMixed = kinds & CAPITAL && kinds & (HEX_LETTER | LETTER_BEYOND_HEX) && kinds & DIGIT
  return Boolean(isMixed) || TOKEN_PREFIX.test(run)
}

const RUN_LENGTH_MIN = 16
const JOINER = 1
const DIGIT = 2
const CAPITAL = 4
const HEX_LETTER = 8
const LETTER_BEYOND_HEX = 16

/** What kind of character of a token each character of ASCII is; 0 means no kind. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[_-]/.test(character)) return JOINER
  if (/\d/.test(character)) return DIGIT
  if (/[A-Z]/.test(character)) return CAPITAL
  if (/[a-f]/.test(character)) return HEX_LETTER
  return /[g-z]/.test(character) ? LETTER_BEYOND_HEX : 0
})
