import type { CodeTables } from './code-tables.ts'
import type { LiteralPlace } from './codebase.ts'
import { languageOf } from './languages.ts'
import { isTestPath } from './search.ts'

const FILES_MAX = 400
const WORDS_MIN = 3
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc|html?)$|(?:^|\/)(?:docs?|changelog)\//i
const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!include|define)|--|<!--)/

/**
 * Where a quoted text is written, code before tests and documents. Case, spaces and punctuation don't matter. If it is nowhere
 * as a whole, the longest part of at least three words counts: messages are put together from pieces and values.
 */
export function findLiteral(
  tables: CodeTables,
  literal: string,
  textOf: (path: string) => string | undefined,
): readonly LiteralPlace[] {
  const words = literal.match(/[\p{L}\p{N}_]+/gu) ?? []
  for (let length = words.length; length >= Math.min(WORDS_MIN, words.length) && length > 0; length--) {
    const found: LiteralPlace[] = []
    for (let from = 0; from + length <= words.length; from++)
      found.push(...placesOf(tables, words.slice(from, from + length), textOf))
    if (found.length > 0) return found.toSorted((one, other) => Number(other.isSource) - Number(one.isSource))
  }
  return []
}

function placesOf(
  tables: CodeTables,
  words: readonly string[],
  textOf: (path: string) => string | undefined,
): readonly LiteralPlace[] {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_])${words.join(String.raw`[^\p{L}\p{N}_]+`)}(?![\p{L}\p{N}_])`, 'giu')
  return tables
    .filesWithPhrase(words.join(' '))
    .slice(0, FILES_MAX)
    .flatMap((file) => {
      const text = textOf(file) ?? ''
      return [...text.matchAll(pattern)].map(({ index }): LiteralPlace => {
        const line = text.slice(0, index).split('\n').length
        const isProse =
          COMMENT.test(text.slice(text.lastIndexOf('\n', index) + 1, index)) ||
          (languageOf(file) === undefined && DOCUMENT.test(file))
        return { file, line, isSource: !isProse && !isTestPath(file) }
      })
    })
}
