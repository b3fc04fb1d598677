import type { CodeTables } from './code-tables.ts'
import { splitWords } from './split-words.ts'
import { wordStem } from './word-stem.ts'

const FORMS_MAX = 200

/**
 * For each word of a term, the forms of it that stand in the codebase: `handled` gives `handle`, `handled`, `handler`. A term that is a declared
 * name in other letters (`jsondecoder`) has that name's words. A group without any form: the term stands nowhere.
 */
export function wordForms(tables: CodeTables, term: string): readonly (readonly string[])[] {
  const groups = formsOf(tables, splitWords(term))
  if (groups.every((forms) => forms.length > 0)) return groups
  const named = tables.symbolsLike(term)[0]
  return named ? formsOf(tables, splitWords(named.name)) : groups
}

function formsOf(tables: CodeTables, words: readonly string[]): readonly (readonly string[])[] {
  return words.map((word) => {
    const stem = wordStem(word)
    return tables.wordsFrom(stem, FORMS_MAX).filter((each) => each === word || wordStem(each) === stem)
  })
}
