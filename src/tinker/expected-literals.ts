import type { ValueMismatch } from '../core/patterns/value-mismatch.ts'
import { tokensOf, type ValueToken } from '../core/patterns/value-tokens.ts'
import type { Code } from './code.ts'
import { replace, type Edit } from './edit.ts'
import type { TestBlock } from './find-test-blocks.ts'
import type { RuledFailure } from './ruled-failures.ts'
import type { Token } from './tokenize.ts'

/** What of a test's expectation differs from what the code gives, a literal of the test for each of the places where it may stand. */
export function expectedLiterals(code: Code, block: TestBlock, ruled: RuledFailure): readonly (readonly Edit[])[] {
  const literals = [...code.tokens.entries()].filter(
    ([, token]) => token.line >= block.firstLine && token.line <= block.lastLine && isLiteral(token),
  )
  const pairs = differing(ruled)
  if (pairs.length === 0 || pairs.length > PAIRS_MAX) return []
  const places = pairs.map(({ wanted, given, key }) =>
    literals
      .filter(([, token]) => isValue(token, wanted))
      .map(([index, token]) => ({ edit: editOf(code, token, given), isKeyed: isKeyed(code, index, key) }))
      .toSorted((one, other) => Number(other.isKeyed) - Number(one.isKeyed))
      .map(({ edit }) => edit),
  )
  const [only] = places
  if (!only || places.some((edits) => edits.length === 0)) return []
  // Of several values each one is taken where it most likely stands.
  return places.length === 1 ? only.map((edit) => [edit]) : [places.flatMap((edits) => edits.slice(0, 1))]
}

const PAIRS_MAX = 5

interface Differing {
  readonly wanted: ValueToken
  readonly given: ValueToken
  readonly key?: string
}

/** The values that differ, piece by piece; none where the pieces do not stand side by side. */
function differing({ expected, received }: RuledFailure): readonly Differing[] {
  const [ones, others] = [tokensOf(expected), tokensOf(received)]
  if (ones.length !== others.length) return []
  const found = ones.flatMap((wanted, index): Differing[] => {
    const given = others[index]!
    const isSame = wanted.isKey || (wanted.text === given.text && wanted.isQuoted === given.isQuoted)
    const key = ones[index - 2]
    return isSame ? [] : [{ wanted, given, ...(key?.isKey ? { key: key.text } : {}) }]
  })
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

/** A literal of the source that is what the code gives, as what is wanted of it. */
export function literalInstead(code: Code, token: Token, { expected, received }: ValueMismatch): Edit | undefined {
  const [wanted, given] = [tokensOf(expected).at(-1), tokensOf(received).at(-1)]
  if (!wanted || !given || !isLiteral(token) || !isValue(token, given)) return undefined
  return { ...editOf(code, token, wanted), kind: 'conversion' }
}

function isLiteral({ kind, text }: Token): boolean {
  if (kind === 'template') return text.startsWith('`') && text.endsWith('`') && text.length > 1
  return kind === 'number' || kind === 'string' || (kind === 'word' && WORDS.has(text))
}

const WORDS = new Set(['true', 'false', 'True', 'False', 'null', 'undefined', 'None', 'nil', 'NaN'])

function isValue({ kind, text }: Token, { text: wanted, isQuoted }: ValueToken): boolean {
  if (kind === 'string' || kind === 'template') return isQuoted && plain(text.slice(1, -1)) === plain(wanted)
  if (isQuoted) return false
  return kind === 'number' ? Number(text.replaceAll('_', '')) === Number(wanted) : text === wanted
}

/** Texts are printed with more or with fewer backslashes than they are written. */
function plain(text: string): string {
  return text.replaceAll(/\\(["'`\\])/g, '$1').replaceAll('\n', '\\n')
}

function isKeyed({ tokens }: Code, index: number, key: string | undefined): boolean {
  const name = tokens[index - 2]
  return key !== undefined && name !== undefined && (name.text === key || name.text.slice(1, -1) === key)
}

function editOf(code: Code, token: Token, given: ValueToken): Edit {
  return replace('expected', 1, token, token, given.isQuoted ? quoted(given.text, quoteOf(code, token)) : given.text)
}

function quoted(text: string, quote: string): string {
  const body = plain(text).replaceAll(/\\(?!n)/g, '\\\\')
  return `${quote}${body.replaceAll(quote, `\\${quote}`)}${quote}`
}

/** As the literal had it; where it had none, as most texts of the file have it. */
function quoteOf({ tokens, language }: Code, { kind, text }: Token): string {
  if (kind === 'string' && /^["']/.test(text)) return text[0]!
  if (language.family === 'braces') return '"'
  const single = tokens.filter((token) => token.kind === 'string' && token.text.startsWith("'")).length
  const double = tokens.filter((token) => token.kind === 'string' && token.text.startsWith('"')).length
  return single > double ? "'" : '"'
}
