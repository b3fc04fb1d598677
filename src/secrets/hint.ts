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

/** A piece of everything that the patterns look for: without one they need not look. Every effect has a `key`, so that alone is none. */
const PIECE = /ss[wp]|[_-]p[aw]|ecr|ken[^a-z0-9_]|[a-z_ -]key|arer|sic |riza|:[/\\]{2}/i

const PATTERNS = [
  new RegExp(
    `(?:${SECRET_WORD})["'\`\\\\\\]:=,&\\s\\u001b>]|private key|bearer|basic |authorization|[a-z_-]key["'\`\\\\\\]:=,&\\s]`,
    'i',
  ),
  /:(?:\\?\/){2}[^\s/":]*:[^\s/"]*@/,
  /curl .{0,200}-u/,
]

const RUN_LENGTH_MIN = 16

/** Beginnings of tokens that need not mix capitals, small letters and digits. */
const TOKEN_PREFIX =
  /AKIA|ASIA|ABIA|ACCA|A3T|A[GIRN][DPOV]A|gh[oprsu]_|npm_|xox|xapp|sk[-_]|rk_|dapi|hf_|ntn_|lin_api|shp|gl[a-z]*[-_]|tskey|vc[a-z]_|cf[a-z]*_|figd|dckr|xai[-_]|pplx[-_]|csk[-_]|gsk[-_]|r8_|pypi-|do[opr]_v|sbp_|SK[0-9a-f]/

/**
 * Hashes and UUIDs are hexadecimal, names in code have no digits; a token mixes everything or has a known beginning. Looks where a long enough
 * run would end and goes backwards: in most texts a break is near, and everything before it need not be read.
 */
function hasTokenLikeRun(text: string): boolean {
  for (let start = 0; start + RUN_LENGTH_MIN <= text.length;) {
    let end = start + RUN_LENGTH_MIN - 1
    while (end >= start && kindAt(text, end) !== 0) end--
    if (end < start) {
      let seen = 0
      for (end = start; end < text.length && kindAt(text, end) !== 0; end++) seen |= kindAt(text, end)
      if ((seen & MIXED) === MIXED) return true
      if ((seen & NOT_HEXADECIMAL) !== 0 && TOKEN_PREFIX.test(text.slice(start, end))) return true
    }
    start = end + 1
  }
  return false
}

/** What a character adds to a run; 0 ends one. */
function kindAt(text: string, index: number): number {
  return KINDS[text.charCodeAt(index)] as number
}

const [JOINING, SMALL, DIGIT, CAPITAL, BEYOND_F] = [1, 2, 4, 8, 16]
const MIXED = SMALL | DIGIT | CAPITAL
const NOT_HEXADECIMAL = CAPITAL | BEYOND_F
const KINDS = new Uint8Array(1 << 16)
for (const [characters, kind] of [
  ['_-', JOINING],
  ['abcdef', SMALL],
  ['ghijklmnopqrstuvwxyz', SMALL | BEYOND_F],
  ['0123456789', DIGIT],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', CAPITAL],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind
