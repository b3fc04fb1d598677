import { hasKnownSecret } from './known-secrets.ts'
import { SECRET_WORD } from './secret-assignment.ts'

/**
 * Says in a few microseconds whether a text could hold a secret at all: it may be wrong with yes, hardly ever with no. Works on
 * plain text and on JSON. The real search costs twenty times as much, too much for every small event.
 */
export function hasSecretHint(text: string): boolean {
  if (text.length < SECRET_LENGTH_MIN) return false
  return (
    (isTelling(text) && NAMED.test(text)) ||
    KEY_LIKE.test(text) ||
    URL_LIKE.test(text) ||
    hasTokenLikeRun(text) ||
    hasKnownSecret(text)
  )
}

/** `_pass=abc` is about the shortest thing any rule would find. */
const SECRET_LENGTH_MIN = 8

/** Whether a word is there that `NAMED` has to look at closely. Names that end in `key` are apart because every effect of a run has a `key`. */
function isTelling(text: string): boolean {
  for (const word of TELLING) if (word.test(text)) return true
  return false
}

/** One word each: a search for one word takes strides as long as the word, one for all of them looks at every character. */
const TELLING = [/pass[wp]|[_-]p(?:ass|wd)/i, /secret/i, /token/i, /bearer/i, /basic /i, /private key/i, /authorization/i]
const NAMED = new RegExp(`(?:${SECRET_WORD})["'\`\\\\\\]:=,\\s]|private key|bearer|basic |authorization`, 'i')
const KEY_LIKE = /[a-z_-]key["'`\\\]:=,\s]/i
const URL_LIKE = /:\/\/[^\s/"]*:[^\s/"]*@/

const RUN_LENGTH_MIN = 16

/** Beginnings of tokens that need not mix capitals, small letters and digits. */
const TOKEN_PREFIX =
  /AKIA|ASIA|ABIA|ACCA|A3T|A[GIRN][DPOV]A|gh[oprsu]_|npm_|xox|xapp|sk[-_]|rk_|dapi|hf_|ntn_|lin_api|shp|gl[a-z]*[-_]|tskey|vc[a-z]_|cf[a-z]*_|figd|dckr|xai[-_]|pplx[-_]|csk[-_]|gsk[-_]|r8_|pypi-|do[opr]_v|sbp_|SK[0-9a-f]/

/**
 * Hashes and uuids are hexadecimal, names in code have no digits; a token mixes everything or has a known beginning. Looks at the
 * place where a long enough run would end and goes backwards: in most texts a break is near, and all before it need not be read.
 */
function hasTokenLikeRun(text: string): boolean {
  let start = 0
  while (start + RUN_LENGTH_MIN <= text.length) {
    let index = start + RUN_LENGTH_MIN - 1
    while (index >= start && kindAt(text, index) !== 0) index--
    if (index >= start) {
      start = index + 1
      continue
    }
    let end = start
    let seen = 0
    for (let kind = kindAt(text, end); kind !== 0; kind = kindAt(text, ++end)) seen |= kind
    if (isTokenLike(text, start, end, seen)) return true
    start = end + 1
  }
  return false
}

/** 0 for what ends a run, as the end of the text does. */
function kindAt(text: string, index: number): number {
  const code = index < text.length ? text.charCodeAt(index) : 0
  return code < 128 ? (CHARACTER_KIND[code] as number) : 0
}

function isTokenLike(text: string, start: number, end: number, seen: number): boolean {
  if ((seen & MIXED) === MIXED) return true
  return (seen & NOT_HEXADECIMAL) !== 0 && TOKEN_PREFIX.test(text.slice(start, end))
}

const JOINING = 0b00001
const SMALL = 0b00010
const DIGIT = 0b00100
const CAPITAL = 0b01000
const BEYOND_F = 0b10000
const MIXED = SMALL | DIGIT | CAPITAL
const NOT_HEXADECIMAL = CAPITAL | BEYOND_F

/** What a character adds to a run; 0 for what ends one. */
const CHARACTER_KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[_-]/.test(character)) return JOINING
  if (/[a-f]/.test(character)) return SMALL
  if (/[g-z]/.test(character)) return SMALL | BEYOND_F
  if (/[0-9]/.test(character)) return DIGIT
  return /[A-Z]/.test(character) ? CAPITAL : 0
})
