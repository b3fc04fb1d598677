import type { DeclarationKind } from './codebase.ts'

/** A node of a syntax tree, as the parser library gives it. Lines are counted from 0. */
export interface SyntaxNode {
  kind(): string
  text(): string
  range(): { readonly start: { readonly line: number }; readonly end: { readonly line: number } }
  children(): readonly SyntaxNode[]
  child(index: number): SyntaxNode | null
  field(name: string): SyntaxNode | null
  fieldChildren(name: string): readonly SyntaxNode[]
  findAll(matcher: { readonly rule: object }): readonly SyntaxNode[]
}

export type LanguageName = 'typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'rust' | 'java' | 'csharp' | 'c' | 'cpp'

/** A name that a node declares. */
export interface Named {
  readonly name: string
  readonly kind: DeclarationKind
}

/** What a file imports, in the words of its language, not yet a file. */
export interface RawImport {
  readonly specifier: string
  readonly line: number
}

/** How a language says what it declares and imports. Only the nodes in `containers` are gone into, so most of a tree is never visited. */
export interface LanguageRules {
  readonly containers: ReadonlySet<string>
  /** By the kind of node: what it declares, or the kind of the thing whose name is in the field `name`. */
  readonly declarations: Readonly<Record<string, DeclarationKind | ((node: SyntaxNode) => readonly Named[])>>
  /** By the kind of node: the specifiers it imports. */
  readonly imports: Readonly<Record<string, (node: SyntaxNode) => readonly string[]>>
  /** Imports that may stand anywhere: looked for only where the text matches `hint`. */
  readonly scattered?: { readonly hint: RegExp; readonly kind: string; read(node: SyntaxNode): readonly string[] }
  /** By the kind of node: the package or namespace that a file belongs to. */
  readonly scopes?: Readonly<Record<string, (node: SyntaxNode) => string>>
  /** Set where files of one package see each other without an import: the capitalised names a file mentions are kept. */
  readonly hasScopes?: true
  /** Kinds of the leaves that name something. */
  readonly names: readonly string[]
}

/** The text of a field, or nothing. */
export function fieldText(node: SyntaxNode, field: string): string | undefined {
  return node.field(field)?.text()
}

/** The declared thing whose name stands in the field `name`, if it has one. */
export function namedBy(node: SyntaxNode, kind: DeclarationKind): readonly Named[] {
  const name = fieldText(node, 'name')
  return name === undefined ? [] : [{ name, kind }]
}

/** What stands between the quotes of a string node. */
export function unquoted(text: string): string {
  return text.replaceAll(/^["'`<]|["'`>]$/g, '')
}

/** Kinds of nodes, written in lines with spaces between them. */
export function kindsIn(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '))
}
