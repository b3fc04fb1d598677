import type { CodebaseContext, CodeIndex, Declaration, Use } from './codebase.ts'
import type { CodeTables, KnownFile, ReadFile } from './code-tables.ts'
import { isTestPath, search } from './search.ts'
import { importEdges, languageOf, LANGUAGES } from './languages.ts'
import { extractCode, type Parsers } from './parse-code.ts'
import { findLiteral } from './literal.ts'
import { namesIn, thingsIn } from './question.ts'
import { isSameWord, nameForms, splitWords } from './words.ts'
import type { LanguageName, SyntaxNode } from './language.ts'
import { createHash } from 'node:crypto'
import { type ListedFile, listFiles } from './list-files.ts'
import { readInside } from './read-inside.ts'

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
    declarationsWith: (word) => {
      const words = splitWords(word)
      const groups = words.map((each) => nameForms(each))
      return tables
        .placesNamed(groups, DECLARATIONS_MAX)
        .filter(({ name }) => words.every((each) => splitWords(name).some((own) => isSameWord(own, each))))
    },
    search: (question) => search(tables, question, namesIn(question)),
    thingsIn: (question) => thingsIn(tables, question),
    writtenIn: (literal) => findLiteral(tables, literal, textOf),
    fileIn: (text) => fileIn(files, text),
    specifiersIn: (file) => tables.importedBy(file),
    declarationsIn: (file) => tables.symbolsIn(file),
    usesOf: (name, filesMax) => uses(name, filesMax),
    importsOf: (file) => tables.edgesFrom(file),
    importersOf: (file) => tables.edgesTo(file),
    isTest: isTestPath,
    languageOf,
    text: (file) => Promise.resolve(textOf(file)),
  }

  async function uses(name: string, filesMax: number): Promise<readonly Use[]> {
    const found: Use[] = []
    let filesLeft = filesMax
    for (const path of tables.filesWithPhrase(name)) {
      const language = languageOf(path)
      const text = language === undefined ? undefined : textOf(path)
      if (language === undefined || text === undefined || !text.includes(name)) continue
      if (filesLeft-- <= 0) break
      const root = await parsers.parse(language, text)
      if (root) found.push(...usesIn({ path, language, root, text }, name, tables.symbolsIn(path)))
    }
    return found
  }
}

const DECLARATIONS_MAX = 2000

/** The longest path in the text, or the only file whose path ends with one of its words. */
function fileIn(files: readonly string[], text: string): string | undefined {
  const named = text.match(/[\p{L}\p{N}_@.-]+(?:\/[\p{L}\p{N}_@.[\]-]+)*\.[A-Za-z]\w*/gu) ?? []
  const found = named.flatMap((name) => {
    const ending = files.filter((file) => file === name || file.endsWith(`/${name}`))
    const whole = ending.filter((file) => file === name)
    return whole.length > 0 ? whole : ending
  })
  return new Set(found).size === 1 ? found[0] : undefined
}

/** The lines of a tree that use a name, without those that declare it. */
function usesIn(
  {
    path: file,
    language,
    root,
    text,
  }: { readonly path: string; readonly language: LanguageName; readonly root: SyntaxNode; readonly text: string },
  name: string,
  declarations: readonly Declaration[],
): readonly Use[] {
  const rules = LANGUAGES[language]
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const pattern = `^${escaped}$`
  const call = new RegExp(String.raw`(?<![\p{L}\p{N}_$])${escaped}(?:!|::<[^()]*>|<[^()]*>)?\s*\(`, 'u')
  const texts = text.split('\n')
  const nodes = root.findAll({ rule: { any: rules.names.map((kind) => ({ kind })), regex: pattern } })
  const declared = new Set(declarations.filter((each) => each.name === name).map(({ line }) => line))
  const lines = [...new Set(nodes.map((node) => node.range().start.line + 1))].filter((line) => !declared.has(line))
  const imported = importedLines(root, language)
  return lines.map((line) => {
    const within = innermost(declarations, line)
    return {
      file,
      line,
      ...(within === undefined ? {} : { within }),
      ...(imported(line) ? { isImport: true } : call.test(texts[line - 1] ?? '') ? { isCall: true } : {}),
    }
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

export interface UpdateOptions {
  readonly root: string
  readonly tables: CodeTables
  readonly parsers: Parsers
  readonly filesMax: number
  readonly bytesMax: number
  readonly context: CodebaseContext
}

/** Updates the index. Unchanged files aren't read again. */
export async function updateIndex(options: UpdateOptions): Promise<void> {
  const { root, tables, filesMax, context } = options
  const listed = await listFiles(root, filesMax, context.signal)
  const known = new Map(tables.known().map((file) => [file.path, file]))
  const present = new Set(listed.map(({ path }) => path))
  const gone = [...known.values()].filter(({ path }) => !present.has(path))
  const suspect = listed.filter((file) => !isUnchanged(file, known.get(file.path)))
  if (gone.length > 0) {
    tables.atomically(() => {
      tables.addChange()
      for (const { id } of gone) tables.remove(id)
    })
  }
  await readAll(options, suspect, known)
  if (tables.changesUnresolved() > 0) resolveImports(options)
}

/** File times are coarse: a file that changed this shortly before it was read may have changed again unnoticed. */
const CLOCK_MS = 2000
/** How many files to parse in parallel while this thread extracts and writes. */
const PARALLEL = 6
const BATCH = 250

function isUnchanged(file: ListedFile, known: KnownFile | undefined): boolean {
  if (!known || known.bytes !== file.bytes || known.mtimeMs !== file.mtimeMs || known.ctimeMs !== file.ctimeMs) return false
  return Math.max(file.mtimeMs, file.ctimeMs) < known.lookedAt - CLOCK_MS
}

async function readAll(
  options: UpdateOptions,
  files: readonly ListedFile[],
  known: ReadonlyMap<string, KnownFile>,
): Promise<void> {
  const { tables, context } = options
  const pending: Seen[] = []
  let done = 0
  const flush = () => {
    write(tables, pending.splice(0))
    if (files.length > BATCH) context.progress(`${done} of ${files.length} files read`)
  }
  const queue = files.values()
  const reader = async () => {
    for (const file of queue) {
      context.signal.throwIfAborted()
      pending.push(await look(options, file, known.get(file.path)))
      done++
      if (pending.length >= BATCH) flush()
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, reader))
  if (pending.length > 0) flush()
}

type Seen = { readonly read: ReadFile } | { readonly touched: KnownFile; readonly file: ListedFile; readonly lookedAt: number }

function write(tables: CodeTables, batch: readonly Seen[]): void {
  tables.atomically(() => {
    if (batch.some((seen) => 'read' in seen)) tables.addChange()
    for (const seen of batch) {
      if ('read' in seen) tables.put(seen.read)
      else tables.touch(seen.touched.id, seen.file, seen.lookedAt)
    }
  })
}

async function look(options: UpdateOptions, file: ListedFile, known: KnownFile | undefined): Promise<Seen> {
  const lookedAt = Date.now()
  const read = contentOf(options, file)
  if (known?.hash === read.hash && known.kind === read.kind) return { touched: known, file, lookedAt }
  const language = read.text === undefined ? undefined : languageOf(file.path)
  const tree = language === undefined ? undefined : await options.parsers.parse(language, read.text ?? '')
  const code = language === undefined || !tree ? {} : { language, code: extractCode(language, tree, read.text ?? '') }
  return { read: { ...file, ...read, ...code, lookedAt } }
}

/** Generated files, full of meaningless words. */
const MADE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|composer\.lock|Gemfile\.lock)$|\.min\.(?:js|css)$|\.(?:map|snap)$/
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|o|a|so|dll|exe|dylib|node|wasm|pyc|woff2?|ttf|otf|eot|mp[34]|m4a|mov|avi|webm|ogg|wav|flac|sqlite|db|parquet|bin|dat)$/i

function contentOf({ root, bytesMax }: UpdateOptions, { path, bytes }: ListedFile): Pick<ReadFile, 'kind' | 'hash' | 'text'> {
  if (BINARY.test(path)) return { kind: 'binary', hash: '' }
  if (MADE.test(path) || bytes > bytesMax) return { kind: 'named', hash: '' }
  const read = readInside(root, path, bytesMax)
  if (read.status === 'refused') return { kind: read.isBinary ? 'binary' : 'named', hash: '' }
  return { kind: 'text', hash: createHash('sha256').update(read.bytes).digest('hex'), text: read.text }
}

function resolveImports({ root, tables, bytesMax }: UpdateOptions): void {
  const changes = tables.changesUnresolved()
  const paths = new Set(tables.known().flatMap(({ path, kind }) => (kind === 'binary' ? [] : [path])))
  const readText = (path: string) => {
    const read = readInside(root, path, bytesMax)
    return read.status === 'text' ? read.text : undefined
  }
  const edges = importEdges({ paths, sources: tables.sources(), readText })
  tables.atomically(() => {
    tables.setEdges(edges)
    tables.setResolved(changes)
  })
}
