import { hasKnownSecret } from './known-values.ts'
import { pieceSearch } from './piece-search.ts'
import { SECRET_WORD } from './secret-assignment.ts'

/**
 * Says in a few microseconds whether a text could hold a secret at all: it may be wrong with yes, hardly ever with no. Works on
 * plain text and on JSON. The real search costs twenty times as much, too much for every small event. `encoded` are the bytes of the text
 * where they are at hand.
 */
export function hasSecretHint(text: string, encoded?: Uint8Array): boolean {
  if (text.length < SECRET_LENGTH_MIN) return false
  const bytes = encoded?.length === text.length ? encoded : bytesOf(text)
  return (
    (isTelling(bytes, text.length) && (NAMED.test(text) || KEY_LIKE.test(text) || URL_LIKE.test(text) || CURL_LIKE.test(text))) ||
    hasTokenLikeRun(text, bytes) ||
    hasKnownSecret(text)
  )
}

/** `_pass=abc` is about the shortest thing any rule would find. */
const SECRET_LENGTH_MIN = 8

/**
 * One byte for each character: to look at bytes takes a fraction of asking a text for its characters. What is not Latin looks like
 * something else then, which can only add to what is found.
 */
function bytesOf(text: string): Uint8Array {
  const bytes = text.length <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(text.length)
  bytes.write(text, 0, 'latin1')
  return bytes
}

const SCRATCH = Buffer.alloc(16_384)

/**
 * Pieces of all that the patterns below look for: where none is, the patterns need not look. Names that end in `key` need something
 * before it, because every effect of a run has a `key`; `tokens` are counted in every iteration.
 */
const isTelling = pieceSearch([
  ['s', 's', 'wp'],
  ['_-', 'p', 'aw'],
  Array.from('ecr'),
  ['k', 'e', 'n', '"\'`\\]:=,& \t\n\v\f\r\u001b'],
  ['abcdefghijklmnopqrstuvwxyz_ -', 'k', 'e', 'y'],
  Array.from('arer'),
  Array.from('sic '),
  Array.from('riza'),
  [':', '/\\', '/\\'],
])
const NAMED = new RegExp(
  `(?:${SECRET_WORD})["'\`\\\\\\]:=,&\\s\\u001b]|pass(?:word|wd|phrase)[_v0-9>]|private key|bearer|basic |authorization`,
  'i',
)
const CURL_LIKE = /curl .{0,200}-u/
const KEY_LIKE = /[a-z_-]key["'`\\\]:=,&\s]/i
const URL_LIKE = /:(?:\\?\/){2}[^\s/":]*:(?:[^\s/"]*|(?![0-9]{1,5}\\?\/)[^\s"]{0,401})@/

const RUN_LENGTH_MIN = 16

/** Beginnings of tokens that need not mix capitals, small letters and digits. */
const TOKEN_PREFIX =
  /AKIA|ASIA|ABIA|ACCA|A3T|A[GIRN][DPOV]A|gh[oprsu]_|npm_|xox|xapp|sk[-_]|rk_|dapi|hf_|ntn_|lin_api|shp|gl[a-z]*[-_]|tskey|vc[a-z]_|cf[a-z]*_|figd|dckr|xai[-_]|pplx[-_]|csk[-_]|gsk[-_]|r8_|pypi-|do[opr]_v|sbp_|SK[0-9a-f]/

/**
 * Hashes and uuids are hexadecimal, names in code have no digits; a token mixes everything or has a known beginning. Looks at the
 * place where a long enough run would end and goes backwards: in most texts a break is near, and all before it need not be read.
 */
function hasTokenLikeRun(text: string, bytes: Uint8Array): boolean {
  let start = 0
  while (start + RUN_LENGTH_MIN <= text.length) {
    let index = start + RUN_LENGTH_MIN - 1
    while (index >= start && KIND[bytes[index] as number] !== 0) index--
    if (index >= start) {
      start = index + 1
      continue
    }
    let end = start
    let seen = 0
    for (; end < text.length && KIND[bytes[end] as number] !== 0; end++) seen |= KIND[bytes[end] as number] as number
    if (isTokenLike(text, start, end, seen)) return true
    start = end + 1
  }
  return false
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
const KIND = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[_-]/.test(character)) return JOINING
  if (/[a-f]/.test(character)) return SMALL
  if (/[g-z]/.test(character)) return SMALL | BEYOND_F
  if (/[0-9]/.test(character)) return DIGIT
  return /[A-Z]/.test(character) ? CAPITAL : 0
})
