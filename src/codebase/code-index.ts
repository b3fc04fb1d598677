import type { CodeIndex, Use } from './codebase.ts'
import type { CodeTables } from './code-tables.ts'
import { isTestPath } from './file-weight.ts'
import { languageOf } from './languages.ts'
import type { Parsers } from './parsers.ts'
import { splitWords } from './split-words.ts'
import { usesIn } from './uses-in.ts'
import { wordForms } from './word-forms.ts'

/** Answers questions about the code out of the index; names are looked up in the files as they are now. */
export function codeIndex({
  tables,
  parsers,
  textOf,
}: {
  readonly tables: CodeTables
  readonly parsers: Parsers
  readonly textOf: (path: string) => string | undefined
}): CodeIndex {
  const files = tables.known().flatMap(({ path, kind }) => (kind === 'binary' ? [] : [path]))
  return {
    filesTotal: files.length,
    files: () => files,
    declarationsOf: (name) => tables.symbolsNamed(name),
    formsOf: (word) => wordForms(tables, word).flat(),
    declarationsWith: (word) => {
      const forms = wordForms(tables, word)
      if (forms.length === 0 || forms.some((each) => each.length === 0)) return []
      return [...tables.matches('symbols', forms).keys()].flatMap((path) =>
        tables.symbolsIn(path).filter(({ name }) => {
          const words = new Set(splitWords(name))
          return forms.every((group) => group.some((each) => words.has(each)))
        }),
      )
    },
    declarationsIn: (file) => tables.symbolsIn(file),
    usesOf: (name, filesMax) => uses(name, filesMax),
    importsOf: (file) => tables.edgesFrom(file),
    importersOf: (file) => tables.edgesTo(file),
    isTest: isTestPath,
    languageOf,
    text: (file) => Promise.resolve(textOf(file)),
  }

  async function uses(name: string, filesMax: number): Promise<readonly Use[]> {
    const words = splitWords(name)
    if (words.length === 0) return []
    const found: Use[] = []
    let filesLeft = filesMax
    for (const path of tables
      .matches(
        'body',
        words.map((each) => [each]),
      )
      .keys()) {
      const language = languageOf(path)
      const text = language === undefined ? undefined : textOf(path)
      if (language === undefined || text === undefined || !text.includes(name)) continue
      if (filesLeft-- <= 0) break
      const root = await parsers.parse(language, text)
      if (root) found.push(...usesIn(path, language, root, name, tables.symbolsIn(path)))
    }
    return found
  }
}
