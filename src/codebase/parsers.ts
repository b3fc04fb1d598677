import type { LanguageName, SyntaxNode } from './language.ts'

/** Reads source text as a tree. Parsing is tolerant: a broken file gives a tree with holes. */
export interface Parsers {
  /** `undefined` where there is no parser for the language on this machine. */
  parse(language: LanguageName, text: string): Promise<SyntaxNode | undefined>
  /** A sentence for each language that cannot be read here. */
  readonly notes: readonly string[]
}

/** Loads the parsers once for the whole process; where some are missing the files of their languages are plain text. */
export function loadedParsers(): Promise<Parsers> {
  loading ??= load()
  return loading
}

let loading: Promise<Parsers> | undefined

const BUILT_IN: readonly [LanguageName, string][] = [
  ['typescript', 'TypeScript'],
  ['tsx', 'Tsx'],
  ['javascript', 'JavaScript'],
]

/** Each import is written out, so that tools which follow imports see it. */
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
  const names = new Map([...BUILT_IN, ...(await registered(library, notes))])
  const parse = async (language: LanguageName, text: string) => {
    const name = names.get(language)
    return name === undefined ? undefined : ((await library.parseAsync(name, text)).root() as unknown as SyntaxNode)
  }
  return { parse, notes }
}

/** The library takes grammars once in the life of a process, all at a time; one that somebody else gave it before serves as well. */
async function registered(library: Library, notes: string[]): Promise<readonly [LanguageName, string][]> {
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
 * A parser made for another machine or a newer system would end the whole process when it is registered, so the system is asked first: Node
 * loads the file and finds that it is no add-on, which is the answer we hope for.
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
