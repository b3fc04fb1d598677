import type { CodeTables } from './code-tables.ts'
import type { MatchedTerm, TextOf } from './estimate-files.ts'
import { linesOf } from './find-snippet.ts'
import { splitWords, withSpacedNames } from './split-words.ts'

/** Files around cited ones: how near, and in which words to say so. */
export type Neighbourhood = ReadonlyMap<string, { readonly share: number; readonly reason: string }>

const NAMES_MAX = 3

/** Why a file is thought to matter, in plain words, the strongest reason first. */
export function reasonsFor(
  tables: CodeTables,
  path: string,
  terms: readonly MatchedTerm[],
  { cited, around, textOf }: { readonly cited: readonly string[]; readonly around: Neighbourhood; readonly textOf: TextOf },
): readonly string[] {
  const near = around.get(path)
  const matched = terms.filter(({ inBody }) => inBody.has(path))
  const text = matched.length > 0 ? (textOf(path) ?? '') : ''
  return [
    ...(cited.includes(path) ? ['cited by a finding'] : []),
    ...declaredReasons(tables, path, terms),
    ...terms.filter(({ inPath }) => inPath.has(path)).map(({ term }) => `path contains \`${term}\``),
    ...(near ? [near.reason] : []),
    ...matched.flatMap((term) => mentionReason(term, text)),
  ]
}

function declaredReasons(tables: CodeTables, path: string, terms: readonly MatchedTerm[]): readonly string[] {
  const wanted = terms.filter(({ inSymbols, declaredIn }) => inSymbols.has(path) || declaredIn.has(path))
  if (wanted.length === 0) return []
  const names = new Map<string, number>()
  for (const { name, line } of tables.symbolsIn(path)) {
    const words = new Set(splitWords(name))
    const isWanted = wanted.some(({ forms }) => forms.every((group) => group.some((form) => words.has(form))))
    if (isWanted && !names.has(name)) names.set(name, line)
  }
  // The very thing that was asked for comes first.
  const isAsked = (name: string): boolean => wanted.some(({ term }) => term.toLowerCase() === name.toLowerCase())
  const shown = [...names]
    .toSorted(([one], [other]) => Number(isAsked(other)) - Number(isAsked(one)))
    .slice(0, NAMES_MAX)
    .map(([name, line]) => `declares \`${name}\` (line ${line})`)
  return names.size > NAMES_MAX ? [...shown, `declares ${names.size - NAMES_MAX} more such names`] : shown
}

function mentionReason({ term, forms }: MatchedTerm, text: string): readonly string[] {
  const patterns = forms.map((group) => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${group.join('|')})(?![\p{L}\p{N}])`, 'iu'))
  const lines = linesOf(withSpacedNames(text)).flatMap((line, index) =>
    patterns.every((pattern) => pattern.test(line)) ? [index + 1] : [],
  )
  if (lines.length === 0) return [`mentions \`${term}\``]
  return [`mentions \`${term}\` in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, first in line ${lines[0]}`]
}
