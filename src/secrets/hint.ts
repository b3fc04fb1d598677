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

/** Beginnings of tokens that need not mix capitals, small letters and digits. */
const TOKEN_PREFIX =
  /AKIA|ASIA|ABIA|ACCA|A3T|A[GIRN][DPOV]A|gh[oprsu]_|npm_|xox|xapp|sk[-_]|rk_|dapi|hf_|ntn_|lin_api|shp|gl[a-z]*[-_]|tskey|vc[a-z]_|cf[a-z]*_|figd|dckr|xai[-_]|pplx[-_]|csk[-_]|gsk[-_]|r8_|pypi-|do[opr]_v|sbp_|SK[0-9a-f]/

/** Hashes and UUIDs are hexadecimal, names in code have no digits; a token mixes everything or has a known beginning. */
function hasTokenLikeRun(text: string): boolean {
  for (const [run] of text.matchAll(/[\w-]{16,}/g)) {
    if (!/[A-Zg-z]/.test(run)) continue
    if ((/[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run)) || TOKEN_PREFIX.test(run)) return true
  }
  return false
}
