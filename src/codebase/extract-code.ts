import type { Declaration } from './codebase.ts'
import type { LanguageName, LanguageRules, RawImport, SyntaxNode } from './language.ts'
import { namedBy } from './language.ts'
import { LANGUAGES } from './languages.ts'

/** What one source file says of itself. */
export interface ExtractedCode {
  readonly declarations: readonly Omit<Declaration, 'file'>[]
  readonly imports: readonly RawImport[]
  /** Its package or namespaces. */
  readonly scopes: readonly string[]
  /** Capitalised names it mentions and where first, in languages whose files see each other without an import. */
  readonly mentions: Readonly<Record<string, number>>
}

/** What is kept of one file: more is no code that somebody wrote. */
const ENTRIES_MAX = 5000
const DEPTH_MAX = 40

/** Reads declarations and imports out of a tree. */
export function extractCode(language: LanguageName, root: SyntaxNode, text: string): ExtractedCode {
  const rules = LANGUAGES[language]
  const found = { declarations: [], imports: [], scopes: [] }
  visit(root, rules, found, 0)
  if (rules.scattered?.hint.test(text)) scattered(root, rules.scattered, found)
  return { ...found, mentions: rules.hasScopes ? mentionsIn(text) : {} }
}

interface Found {
  readonly declarations: Omit<Declaration, 'file'>[]
  readonly imports: RawImport[]
  readonly scopes: string[]
}

function visit(parent: SyntaxNode, rules: LanguageRules, found: Found, depth: number): void {
  for (const node of parent.children()) {
    if (found.declarations.length + found.imports.length > ENTRIES_MAX) return
    const kind = node.kind()
    const imports = rules.imports[kind]
    if (imports) addImports(node, imports(node), found)
    const declaration = rules.declarations[kind]
    if (declaration !== undefined) addDeclarations(node, declaration, found)
    const scope = rules.scopes?.[kind]
    if (scope) found.scopes.push(scope(node))
    if (rules.containers.has(kind) && depth < DEPTH_MAX) visit(node, rules, found, depth + 1)
  }
}

function addImports(node: SyntaxNode, specifiers: readonly string[], found: Found): void {
  if (specifiers.length === 0) return
  const line = node.range().start.line + 1
  found.imports.push(...specifiers.filter((each) => each !== '').map((specifier) => ({ specifier, line })))
}

function addDeclarations(node: SyntaxNode, rule: NonNullable<LanguageRules['declarations'][string]>, found: Found): void {
  const names = typeof rule === 'string' ? namedBy(node, rule) : rule(node)
  if (names.length === 0) return
  const { start, end } = node.range()
  for (const { name, kind } of names) {
    if (name !== '') found.declarations.push({ name, kind, line: start.line + 1, lineEnd: end.line + 1 })
  }
}

function scattered(root: SyntaxNode, { kind, read }: NonNullable<LanguageRules['scattered']>, found: Found): void {
  for (const node of root.findAll({ rule: { kind } }).slice(0, ENTRIES_MAX)) addImports(node, read(node), found)
}

/** Comments and texts are blanked, so that only code mentions a name. */
function mentionsIn(text: string): Record<string, number> {
  const mentions: Record<string, number> = Object.create(null) as Record<string, number>
  const code = text.replaceAll(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => part.replaceAll(/[^\n]/g, ' '))
  let line = 1
  for (const [token] of code.matchAll(/\n|\b[A-Z]\w*/g)) {
    if (token === '\n') line++
    else mentions[token] ??= line
  }
  return mentions
}
