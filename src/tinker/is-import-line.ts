import { IMPORT_WORDS } from './keywords.ts'
import type { Token } from './tokenize.ts'

/** Whether the line of a token begins with a word that brings in other files, or ends one that does: nothing is mutated there. */
export function isImportLine(tokens: readonly Token[], index: number): boolean {
  let first = index
  while (first > 0 && tokens[first - 1]!.line === tokens[index]!.line) first--
  const isEnd = tokens[first]!.text === '}' && tokens[first + 1]?.text === 'from'
  return isEnd || (IMPORT_WORDS.has(tokens[first]!.text) && tokens[first + 1]?.text !== '.')
}
