import type { CodeIndex, Declaration, Use } from './codebase.ts'
import type { CodeTables } from './code-tables.ts'
import { isTestPath } from './estimate-files.ts'
import { languageOf, LANGUAGES } from './languages.ts'
import type { Parsers } from './parse-code.ts'
import { splitWords, wordForms } from './words.ts'
import type { LanguageName, SyntaxNode } from './language.ts'

/** Answers questions about the code from the index. Uses of a name are looked up in the files as they are now. */
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

/** The lines of a tree that use a name, without those that declare it. */
function usesIn(
  file: string,
  language: LanguageName,
  root: SyntaxNode,
  name: string,
  declarations: readonly Declaration[],
): readonly Use[] {
  const rules = LANGUAGES[language]
  const pattern = `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`
  const nodes = root.findAll({ rule: { any: rules.names.map((kind) => ({ kind })), regex: pattern } })
  const declared = new Set(declarations.filter((each) => each.name === name).map(({ line }) => line))
  const lines = [...new Set(nodes.map((node) => node.range().start.line + 1))].filter((line) => !declared.has(line))
  const imported = importedLines(root, language)
  return lines.map((line) => {
    const within = innermost(declarations, line)
    return { file, line, ...(within === undefined ? {} : { within }), ...(imported(line) ? { isImport: true } : {}) }
  })
}

function importedLines(root: SyntaxNode, language: LanguageName): (line: number) => boolean {
  const kinds = Object.keys(LANGUAGES[language].imports).filter((kind) => kind !== 'export_statement' && kind !== 'mod_item')
  const ranges =
    kinds.length === 0 ? [] : root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } }).map((node) => node.range())
  return (line) => ranges.some(({ start, end }) => start.line < line && line <= end.line + 1)
}

/** The shortest declaration around the line. */
function innermost(declarations: readonly Declaration[], line: number): string | undefined {
  return declarations
    .filter((each) => each.line <= line && line <= each.lineEnd && each.line < each.lineEnd)
    .toSorted((one, other) => one.lineEnd - one.line - (other.lineEnd - other.line))[0]?.name
}
