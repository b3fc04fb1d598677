import type { Declaration, Use } from './codebase.ts'
import type { LanguageName, SyntaxNode } from './language.ts'
import { LANGUAGES } from './languages.ts'

/** The places of a tree where a name is used: the leaves that are that name, but for those that declare it. Each line once. */
export function usesIn(
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
