import type { DeclarationKind } from './codebase.ts'

/** A syntax tree node from the parser library. Lines are counted from 0. */
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

/** An import as written in the source, not resolved to a file. */
export interface RawImport {
  readonly specifier: string
  readonly line: number
}

/**
 * How to find a language's declarations and imports. Only nodes in `containers` are entered, so most of a tree is never
 * visited.
 */
export interface LanguageRules {
  /** File name extensions, separated by spaces. */
  readonly extensions: string
  readonly containers: ReadonlySet<string>
  /** By node kind: what it declares, or the kind of declaration whose name is in the field `name`. */
  readonly declarations: Readonly<Record<string, DeclarationKind | ((node: SyntaxNode) => readonly Named[])>>
  /** By node kind: the type that what it declares belongs to, where the tree doesn't have one inside the other. */
  readonly owners?: Readonly<Record<string, (node: SyntaxNode) => string | undefined>>
  /** By node kind: the specifiers it imports. */
  readonly imports: Readonly<Record<string, (node: SyntaxNode) => readonly string[]>>
  /** Imports that can be anywhere. Searched for only if the text matches `hint`. */
  readonly scattered?: { readonly hint: RegExp; readonly kind: string; read(node: SyntaxNode): readonly string[] }
  /** By node kind: the package or namespace that a file belongs to. */
  readonly scopes?: Readonly<Record<string, (node: SyntaxNode) => string>>
  /** Files of one package see each other without an import, so the capitalised names that a file mentions are recorded. */
  readonly hasScopes?: true
  /** Node kinds of leaves that are names. */
  readonly names: readonly string[]
  /** Prepares to resolve imports within a codebase. */
  readonly resolver: (surroundings: Surroundings) => Resolve
}

/** A field's text, if it exists. */
export function fieldText(node: SyntaxNode, field: string): string | undefined {
  return node.field(field)?.text()
}

/** A declaration named by the field `name`, if it has one. */
export function namesOf(node: SyntaxNode, kind: DeclarationKind): readonly Named[] {
  const name = fieldText(node, 'name')
  return name === undefined ? [] : [{ name, kind }]
}

/** A string node's text without quotes. */
export function unquoted(text: string): string {
  return text.replaceAll(/^["'`<]|["'`>]$/g, '')
}

/** Node kinds from lines separated by spaces. */
export function kindsIn(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** A source file, as the resolvers need it. */
export interface SourceFile {
  readonly path: string
  readonly language: LanguageName
  readonly imports: readonly RawImport[]
  readonly scopes: readonly string[]
  readonly mentions: Readonly<Record<string, number>>
  /** The capitalised names it declares, if its language has packages. */
  readonly declares: readonly string[]
}

/** Everything that an import can refer to. */
export interface Surroundings {
  /** All text files. */
  readonly paths: ReadonlySet<string>
  readonly sources: readonly SourceFile[]
  /** The text of a small file: a `tsconfig.json`, a `go.mod`. */
  readText(path: string): string | undefined
}

/** The files that a specifier refers to; none if it is outside the codebase. */
export type Resolve = (from: SourceFile, specifier: string) => readonly string[]

/** All files with this name, in any folder. */
export function filesNamed({ paths }: Surroundings, name: string): readonly string[] {
  return [...paths].filter((path) => path === name || path.endsWith(`/${name}`))
}

/** `a/b` for `a/b/c.ts`, and `''` for `c.ts`. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/** Joins path steps and resolves `.` and `..`; `undefined` if the path leaves the codebase. */
export function joinPath(...parts: readonly string[]): string | undefined {
  const steps: string[] = []
  for (const step of parts.join('/').split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) return undefined
  }
  return steps.join('/')
}

/** The folder and its parents, nearest first, up to the root, which is empty. */
export function foldersAround(folder: string): readonly string[] {
  const steps = folder === '' ? [] : folder.split('/')
  return Array.from({ length: steps.length + 1 }, (_, index) => steps.slice(0, steps.length - index).join('/'))
}

/** The file as a list, empty if there is none. */
export function listOf(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [file]
}
