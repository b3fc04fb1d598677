import { type LanguageName, type LanguageRules, namesOf, type RawImport, type SyntaxNode } from './language.ts'
import type { Declaration } from './codebase.ts'
import { LANGUAGES } from './languages.ts'

/** Parses source text into a tree. A broken file gives a tree with gaps. */
export interface Parsers {
  /** `undefined` if this machine has no parser for the language. */
  parse(language: LanguageName, text: string): Promise<SyntaxNode | undefined>
  /** One sentence for each language without a parser. */
  readonly notes: readonly string[]
}

/** Loads the parsers once per process. Files of a language without a parser are plain text. */
export function loadParsers(): Promise<Parsers> {
  loading ??= load()
  return loading
}

let loading: Promise<Parsers> | undefined

const BUILT_IN: readonly [LanguageName, string][] = [
  ['typescript', 'TypeScript'],
  ['tsx', 'Tsx'],
  ['javascript', 'JavaScript'],
]

/** Each import is written out so that bundlers can follow it. */
const GRAMMARS = {
  python: () => import('@ast-grep/lang-python'),
  go: () => import('@ast-grep/lang-go'),
  rust: () => import('@ast-grep/lang-rust'),
  java: () => import('@ast-grep/lang-java'),
  csharp: () => import('@ast-grep/lang-csharp'),
  c: () => import('@ast-grep/lang-c'),
  cpp: () => import('@ast-grep/lang-cpp'),
}

type Library = typeof import('@ast-grep/napi')
type Grammars = Parameters<Library['registerDynamicLanguage']>[0]

async function load(): Promise<Parsers> {
  const notes: string[] = []
  const library = await import('@ast-grep/napi').catch((error: unknown) => {
    notes.push(
      `No file can be read as source, only as text: @ast-grep/napi could not be loaded (${firstLine(error)}). Install it beside Pawl: npm install @ast-grep/napi`,
    )
  })
  if (!library) return { parse: () => Promise.resolve(undefined), notes }
  const names = new Map([...BUILT_IN, ...(await registerGrammars(library, notes))])
  const parse = async (language: LanguageName, text: string) => {
    const name = names.get(language)
    return name === undefined ? undefined : ((await library.parseAsync(name, text)).root() as unknown as SyntaxNode)
  }
  return { parse, notes }
}

/**
 * The library accepts grammars only once per process, all at a time. A grammar that someone else registered earlier works as
 * well.
 */
async function registerGrammars(library: Library, notes: string[]): Promise<readonly [LanguageName, string][]> {
  const grammars: Grammars = {}
  for (const [name, grammar] of Object.entries(GRAMMARS)) {
    try {
      const { default: registration } = await grammar()
      requireLoadable(registration.libraryPath)
      grammars[name] = registration
    } catch (error) {
      notes.push(unread(name, error))
    }
  }
  library.registerDynamicLanguage(grammars)
  return Object.keys(grammars).flatMap((name): [LanguageName, string][] => {
    try {
      library.parse(name, '')
      return [[name as LanguageName, name]]
    } catch (error) {
      notes.push(unread(name, error))
      return []
    }
  })
}

/**
 * Registering a parser built for another machine or a newer system would end the whole process. So try to load it first: Node's
 * complaint that it isn't an add-on means that it can be loaded.
 */
function requireLoadable(path: string): void {
  try {
    process.dlopen({ exports: {} }, path)
  } catch (error) {
    if (!/did not self-register/.test(String(error))) throw error
  }
}

function unread(name: string, error: unknown): string {
  return `Files in ${name} are read as plain text: their parser could not be loaded (${firstLine(error)}).`
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}

/** A declaration, and the type it belongs to if it isn't inside of it. */
export type ExtractedDeclaration = Omit<Declaration, 'file'> & { readonly owner?: string }

/** What one source file contains. */
export interface ExtractedCode {
  readonly declarations: readonly ExtractedDeclaration[]
  readonly imports: readonly RawImport[]
  /** Its package or namespaces. */
  readonly scopes: readonly string[]
  /** Capitalised names and the line of their first mention, in languages whose files see each other without an import. */
  readonly mentions: Readonly<Record<string, number>>
}

/** A file with more entries than this isn't hand-written code. */
const ENTRIES_MAX = 5000
const DEPTH_MAX = 40

/** Extracts declarations and imports from a tree. */
export function extractCode(language: LanguageName, root: SyntaxNode, text: string): ExtractedCode {
  const rules = LANGUAGES[language]
  const found = { declarations: [], imports: [], scopes: [] }
  visit(root, rules, found, { depth: 0 })
  if (rules.scattered?.hint.test(text)) addScattered(root, rules.scattered, found)
  return { ...found, mentions: rules.hasScopes ? mentionsIn(text) : {} }
}

interface Found {
  readonly declarations: ExtractedDeclaration[]
  readonly imports: RawImport[]
  readonly scopes: string[]
}

interface Position {
  readonly depth: number
  readonly owner?: string | undefined
}

function visit(parent: SyntaxNode, rules: LanguageRules, found: Found, { depth, owner: around }: Position): void {
  for (const node of parent.children()) {
    if (found.declarations.length + found.imports.length > ENTRIES_MAX) return
    const kind = node.kind()
    const imports = rules.imports[kind]
    if (imports) addImports(node, imports(node), found)
    const declaration = rules.declarations[kind]
    const owner = rules.owners?.[kind]?.(node) ?? around
    if (declaration !== undefined) addDeclarations(node, declaration, { found, owner })
    const scope = rules.scopes?.[kind]
    if (scope) found.scopes.push(scope(node))
    if (rules.containers.has(kind) && depth < DEPTH_MAX) visit(node, rules, found, { depth: depth + 1, owner })
  }
}

function addImports(node: SyntaxNode, specifiers: readonly string[], found: Found): void {
  if (specifiers.length === 0) return
  const line = node.range().start.line + 1
  found.imports.push(...specifiers.filter((each) => each !== '').map((specifier) => ({ specifier, line })))
}

function addDeclarations(
  node: SyntaxNode,
  rule: NonNullable<LanguageRules['declarations'][string]>,
  { found, owner }: { readonly found: Found; readonly owner?: string | undefined },
): void {
  const names = typeof rule === 'string' ? namesOf(node, rule) : rule(node)
  if (names.length === 0) return
  const { start, end } = node.range()
  for (const { name, kind } of names) {
    if (name !== '')
      found.declarations.push({
        name,
        kind,
        line: start.line + 1,
        lineEnd: end.line + 1,
        ...(owner === undefined ? {} : { owner }),
      })
  }
}

function addScattered(root: SyntaxNode, { kind, read }: NonNullable<LanguageRules['scattered']>, found: Found): void {
  for (const node of root.findAll({ rule: { kind } }).slice(0, ENTRIES_MAX)) addImports(node, read(node), found)
}

/** Blanks comments and strings, so that only code counts as a mention. */
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
