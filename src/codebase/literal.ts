import type { CodeTables } from './code-tables.ts'
import type { LiteralPlace } from './codebase.ts'
import { languageOf } from './languages.ts'
import { isMainSource, isTestPath } from './search.ts'

const FILES_MAX = 400
/** Fewer words that follow each other are no part of a message. A part that is no more than half of the text says nothing either. */
const WORDS_MIN = 2
const WORDS_MAX = 40
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc|html?|\d|\d\.in)$|(?:^|\/)(?:docs?|man|manual|changelog|completions?)\//i
const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!include|define|\[)|--|<!--)/

/**
 * Where a quoted text is written, code before data, and both before tests and documents. Case, spaces and punctuation don't matter.
 * Messages are put together from pieces and values: where the whole text is nowhere, the longest piece counts after which the code
 * puts in a value, as long as the pieces around the value are in the text too. Other places with a part of it don't fit.
 */
export function findLiteral(
  tables: CodeTables,
  literal: string,
  textOf: (path: string) => string | undefined,
): readonly LiteralPlace[] {
  const found = [...literal.matchAll(/([\p{L}\p{N}_]+)([^\p{L}\p{N}_]*)/gu)].slice(0, WORDS_MAX)
  const words = found.map(([, word = '']) => word)
  const gaps = found.map(([, , gap = '']) => gap)
  const texts = new Map<string, string>()
  const read = (path: string): string => {
    const known = texts.get(path) ?? textOf(path) ?? ''
    texts.set(path, known)
    return known
  }
  let rest: readonly LiteralPlace[] = []
  const least = words.length <= WORDS_MIN ? words.length : Math.max(WORDS_MIN, Math.ceil(words.length / 3))
  for (let length = words.length; length >= least && length > 0; length--) {
    const places: LiteralPlace[] = []
    for (let from = 0; from + length <= words.length; from++)
      places.push(...placesOf({ tables, literal, words, gaps, read }, from, length))
    const fitting = places.filter(({ isWhole }) => isWhole)
    if (fitting.some(({ isSource }) => isSource)) return inOrder(fitting)
    if (rest.length === 0) rest = places
  }
  return inOrder(rest)
}

function inOrder(places: readonly LiteralPlace[]): readonly LiteralPlace[] {
  return places.toSorted((one, other) => rankOf(one) - rankOf(other))
}

function rankOf({ file, isSource, isWhole }: LiteralPlace): number {
  return (isWhole ? 0 : 8) + (isSource ? 0 : 4) + (languageOf(file) === undefined ? 2 : 0) + (isMainSource(file) ? 0 : 1)
}

interface Search {
  readonly tables: CodeTables
  readonly literal: string
  readonly words: readonly string[]
  /** What is between each word and the next. */
  readonly gaps: readonly string[]
  readonly read: (path: string) => string
}

function placesOf({ tables, literal, words, gaps, read }: Search, from: number, length: number): readonly LiteralPlace[] {
  const part = words.slice(from, from + length)
  const flag = /^--?(?=[\p{L}\p{N}])/u.test(literal) && length === words.length
  // An option is declared without its dashes in most parsers, but then as a text of its own.
  const [start, end] = flag
    ? [String.raw`(?:--?|["'\x60])`, String.raw`(?![\p{L}\p{N}_-])`]
    : [String.raw`(?<![\p{L}\p{N}_])`, String.raw`(?![\p{L}\p{N}_])`]
  const pattern = new RegExp(`${start}${part.join(String.raw`[^\p{L}\p{N}_]+`)}${end}`, /\p{Ll}/u.test(literal) ? 'giu' : 'gu')
  return tables
    .filesWithPhrase(part.join(' '))
    .slice(0, FILES_MAX)
    .flatMap((file) => {
      const text = read(file)
      return [...text.matchAll(pattern)].flatMap((match): LiteralPlace[] => {
        const isWhole =
          length === words.length ||
          (fitsBefore(text.slice(0, match.index), words.slice(0, from)) &&
            fitsAfter(text.slice(match.index + match[0].length), words.slice(from + length), gaps[from + length - 1] ?? ''))
        const line = text.slice(0, match.index).split('\n').length
        const isProse =
          COMMENT.test(text.slice(text.lastIndexOf('\n', match.index) + 1, match.index)) ||
          (languageOf(file) === undefined && DOCUMENT.test(file))
        return [{ file, line, isSource: !isProse && !isTestPath(file), isWhole }]
      })
    })
}

const LOOKED_AT = 200
/** A value that is put in: `%s`, `%(name)s`, `{name}`, `${name}`, `#{name}`, `\(name)`, `<name>`. */
const VALUE = String.raw`%(?:\(\w+\))?[-+ #0-9.*]*(?:l?l|z|h)?[a-zA-Z]|[$#]?\{[^{}\n]*\}|\\\([^()\n]*\)|<\w+>`
const VALUE_AFTER = new RegExp(String.raw`^[^\p{L}\p{N}_"'\x60%{}<\\$]*["'(\[\x60]*(?:${VALUE})`, 'u')
const VALUE_BEFORE = new RegExp(String.raw`(?:${VALUE})[^\p{L}\p{N}_%{}<>\\$]*$`, 'u')
/** A text that ends, and what joins it to a value; and the same from behind. */
const JOIN_AFTER = /^[^\p{L}\p{N}_"'`]*["'`]\s*(?:\+|<<|\.\.?|,|%|&)/u
const JOIN_BEFORE = /(?:\+|<<|\.\.?|&)\s*[a-zA-Z]{0,2}["'`][^\p{L}\p{N}_"'`]*$/u
const TEXT_START = /["'`][^\p{L}\p{N}_"'`]*$/u
const QUOTE = /^["'`]/
const TEXT_END = /["`\n]|(?<!\p{L})'|'(?!\p{L})/u

/** A longer value counts only if a colon, a quote or a bracket separates it from the message. */
const VALUE_WORDS_MAX = 2

/** Whether the rest of the text can be a value that the code puts in there, up to the next piece of the message. */
function fitsAfter(after: string, left: readonly string[], gap: string): boolean {
  if (left.length === 0) return true
  const near = after.slice(0, LOOKED_AT)
  const value = VALUE_AFTER.exec(near)?.[0]
  const join = value ?? JOIN_AFTER.exec(near)?.[0]
  if (join === undefined || (/^\s*[^\p{L}\p{N}_"'`\s]*:/u.test(join) && !gap.includes(':'))) return false
  const next =
    value === undefined
      ? /\+[^"'`\n;]*["'`]([^"'`\n]*)/.exec(near)?.[1]
      : near.slice(value.length).replace(QUOTE, '').split(TEXT_END)[0]
  const [word] = wordsOf(next)
  if (word === undefined) return left.length <= VALUE_WORDS_MAX || /[^\s]/.test(gap)
  return isAmong(left, word)
}

function fitsBefore(before: string, left: readonly string[]): boolean {
  if (left.length === 0) return true
  const near = before.slice(-LOOKED_AT)
  const value = VALUE_BEFORE.exec(near)?.[0]
  if (value !== undefined) return isAmong(left, wordsOf(near.slice(0, -value.length).split(TEXT_END).at(-1)).at(-1))
  // Whoever reports a message puts something before it, such as "Error: ".
  return JOIN_BEFORE.test(near) || (left.length === 1 && TEXT_START.test(near))
}

function wordsOf(text = ''): readonly string[] {
  return text.replaceAll(new RegExp(VALUE, 'gu'), ' ').match(/[\p{L}\p{N}_]+/gu) ?? []
}

function isAmong(words: readonly string[], word: string | undefined): boolean {
  return word === undefined || words.some((each) => each.toLowerCase() === word.toLowerCase())
}
