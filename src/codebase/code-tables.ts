import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Declaration, DeclarationKind, ImportEdge, ScoredPlace } from './codebase.ts'
import type { ExtractedCode } from './parse-code.ts'
import type { LanguageName, RawImport, SourceFile } from './language.ts'
import type { ListedFile } from './list-files.ts'
import { docLines } from './doc-comment.ts'
import { linesOf } from './verify-citations.ts'
import { withSpacedNames } from './words.ts'
import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** `text`: read in full. `named`: known by name only, because it is large, generated or unreadable. `binary`: not text. */
export type FileKind = 'text' | 'named' | 'binary'

/** A file as it was when it was last read. */
export interface KnownFile extends ListedFile {
  readonly id: number
  readonly kind: FileKind
  readonly lookedAt: number
  readonly hash: string
}

/** A file that was just read. */
export interface ReadFile extends ListedFile {
  readonly kind: FileKind
  readonly lookedAt: number
  readonly hash: string
  readonly text?: string
  readonly language?: LanguageName
  readonly code?: ExtractedCode
}

/** The cache's tables. All results are sorted by path. */
export class CodeTables {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  close(): void {
    this.#database.close()
  }

  /** Runs the work in one transaction. */
  atomically(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  known(): readonly KnownFile[] {
    return this.#all(
      `SELECT id, path, kind, bytes, mtime AS mtimeMs, ctime AS ctimeMs, looked_at AS lookedAt, hash FROM files ORDER BY path`,
    ) as unknown as KnownFile[]
  }

  put(file: ReadFile): void {
    const code = file.code && { ...file.code, declarations: undefined, declares: declaredNames(file.code) }
    const before = this.#get('SELECT id, hash, kind FROM files WHERE path = ?', file.path)
    const known = before?.['id']
    // Another process was first. Writing it again would change the lengths that FTS5 keeps, and with them the ranking.
    if (known !== undefined && file.hash !== '' && before?.['hash'] === file.hash && before['kind'] === file.kind) {
      this.touch(Number(known), file, file.lookedAt)
      return
    }
    // A new file has nothing to remove.
    if (known !== undefined) this.remove(Number(known))
    const { lastInsertRowid } = this.#statement(
      'INSERT INTO files (id, path, kind, language, bytes, mtime, ctime, looked_at, hash, code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      known === undefined ? null : Number(known),
      file.path,
      file.kind,
      file.language ?? null,
      file.bytes,
      file.mtimeMs,
      file.ctimeMs,
      file.lookedAt,
      file.hash,
      code ? JSON.stringify(code) : null,
    )
    const id = Number(lastInsertRowid)
    if (file.kind === 'binary') return
    const declarations = file.code?.declarations ?? []
    for (const { name, kind, line, lineEnd, parent, doc, body } of placesIn(file)) {
      const added = this.#statement(
        'INSERT INTO symbols (file, name, kind, line, line_end, parent) VALUES (?, ?, ?, ?, ?, ?)',
      ).run(id, name, kind, line, lineEnd, parent)
      const columns = [name, parent, file.path, doc, body].map(withSpacedNames)
      this.#run(
        'INSERT INTO places (rowid, name, parent, path, doc, body) VALUES (?, ?, ?, ?, ?, ?)',
        Number(added.lastInsertRowid),
        ...columns,
      )
    }
    const columns = [file.path, declarations.map(({ name }) => name).join(' '), file.text ?? ''].map(withSpacedNames)
    this.#run('INSERT INTO words (rowid, path, symbols, body) VALUES (?, ?, ?, ?)', id, ...columns)
  }

  /** Only the file's metadata has changed. */
  touch(id: number, { bytes, mtimeMs, ctimeMs }: ListedFile, lookedAt: number): void {
    this.#run(
      'UPDATE files SET bytes = ?, mtime = ?, ctime = ?, looked_at = ? WHERE id = ?',
      bytes,
      mtimeMs,
      ctimeMs,
      lookedAt,
      id,
    )
  }

  remove(id: number): void {
    this.#forgetContent(id)
    this.#run('DELETE FROM files WHERE id = ?', id)
  }

  #forgetContent(id: number): void {
    this.#run('DELETE FROM places WHERE rowid IN (SELECT id FROM symbols WHERE file = ?)', id)
    this.#run('DELETE FROM symbols WHERE file = ?', id)
    this.#run('DELETE FROM words WHERE rowid = ?', id)
  }

  /** How many times files changed since imports were resolved; 0 if the imports are up to date. */
  changesUnresolved(): number {
    return Number(this.#get(`SELECT value FROM facts WHERE name = 'changes'`)?.['value'] ?? 0)
  }

  addChange(): void {
    this.#run(`INSERT OR REPLACE INTO facts VALUES ('changes', ?)`, String(this.changesUnresolved() + 1))
  }

  /**
   * Records that imports are resolved as of this many changes. If another process has made more since, they stay unresolved.
   */
  setResolved(changes: number): void {
    this.#run(`DELETE FROM facts WHERE name = 'changes' AND value = ?`, String(changes))
  }

  sources(): readonly SourceFile[] {
    return this.#all('SELECT path, language, code FROM files WHERE code IS NOT NULL ORDER BY path').map(
      ({ path, language, code }) => ({ path, language, ...JSON.parse(String(code)) }) as SourceFile,
    )
  }

  setEdges(edges: readonly ImportEdge[]): void {
    const ids = new Map(this.known().map(({ path, id }) => [path, id]))
    this.#run('DELETE FROM edges')
    for (const { from, to, line } of edges) {
      const source = ids.get(from)
      const target = ids.get(to)
      if (source !== undefined && target !== undefined)
        this.#run('INSERT OR IGNORE INTO edges VALUES (?, ?, ?)', source, target, line)
    }
  }

  edgesFrom(path: string): readonly ImportEdge[] {
    return this.#edges('s.path = ?', path)
  }

  edgesTo(path: string): readonly ImportEdge[] {
    return this.#edges('t.path = ?', path)
  }

  #edges(where: string, path: string): readonly ImportEdge[] {
    return this.#all(
      `SELECT s.path AS "from", t.path AS "to", e.line FROM edges e JOIN files s ON s.id = e.source JOIN files t ON t.id = e.target
       WHERE ${where} ORDER BY s.path, t.path`,
      path,
    ) as unknown as ImportEdge[]
  }

  symbolsNamed(name: string): readonly Declaration[] {
    return this.#symbols('symbols.name = ?', name)
  }

  /** Like `symbolsNamed`, but ignores case. */
  symbolsLike(name: string): readonly Declaration[] {
    return this.#symbols('lower(symbols.name) = lower(?)', name)
  }

  /** Declarations with this name, and the names of the classes around them. */
  placesOf(name: string, { isExact }: { readonly isExact: boolean }): readonly ScoredPlace[] {
    return this.#all(
      `SELECT name, symbols.kind, path AS file, line, line_end AS lineEnd, parent, 0 AS score FROM symbols JOIN files ON files.id = symbols.file
       WHERE ${isExact ? 'symbols.name = ?' : 'lower(symbols.name) = lower(?)'} ORDER BY path, line, name`,
      name,
    ) as unknown as ScoredPlace[]
  }

  /** What a file imports, as it is written there. */
  importedBy(path: string): readonly RawImport[] {
    const code = this.#get('SELECT code FROM files WHERE path = ?', path)?.['code']
    return typeof code === 'string' ? (JSON.parse(code) as SourceFile).imports : []
  }

  symbolsIn(path: string): readonly Declaration[] {
    return this.#symbols('files.path = ?', path)
  }

  #symbols(where: string, value: string): readonly Declaration[] {
    const rows = this.#all(
      `SELECT name, symbols.kind, path AS file, line, line_end AS lineEnd FROM symbols JOIN files ON files.id = symbols.file
       WHERE ${where} ORDER BY path, line, name`,
      value,
    )
    return rows.map((row) => ({ ...row, kind: row['kind'] as DeclarationKind })) as unknown as Declaration[]
  }

  /** Files that have one of these words, with the weight of the words there: in the path and in declared names they count more. */
  filesWith(forms: readonly string[]): ReadonlyMap<string, number> {
    const rows = this.#all(
      `SELECT files.path, -bm25(words, ${FILE_WEIGHTS.join(', ')}) AS weight FROM words JOIN files ON files.id = words.rowid
       WHERE words MATCH ?`,
      anyOf(forms),
    )
    return new Map(rows.map(({ path, weight }) => [String(path), Number(weight)]))
  }

  /** Files with the words of this text one after the other in theirs. */
  filesWithPhrase(text: string): readonly string[] {
    if (!/[\p{L}\p{N}]/u.test(text)) return []
    const rows = this.#all(
      'SELECT files.path FROM words JOIN files ON files.id = words.rowid WHERE words MATCH ? ORDER BY files.path',
      `{body} : ${quoted(withSpacedNames(text))}`,
    )
    return rows.map(({ path }) => String(path))
  }

  /** The declarations of more than one line that these words stand out in, best first. */
  placesWith(forms: readonly string[], placesMax: number): readonly ScoredPlace[] {
    return this.#places(
      `-bm25(places, ${PLACE_WEIGHTS.join(', ')}) AS score`,
      'places MATCH ? AND line_end > line ORDER BY score DESC, files.path, line LIMIT ?',
      anyOf(forms),
      placesMax,
    )
  }

  /** Declarations that have a word of every group in their name, that of their class, or their path. */
  placesNamed(groups: readonly (readonly string[])[], placesMax: number): readonly ScoredPlace[] {
    if (groups.length === 0) return []
    const query = groups.map((forms) => `({name parent path} : (${anyOf(forms)}))`).join(' AND ')
    return this.#places('0 AS score', 'places MATCH ? ORDER BY files.path, line LIMIT ?', query, placesMax)
  }

  #places(score: string, where: string, ...values: readonly (string | number)[]): readonly ScoredPlace[] {
    return this.#all(
      `SELECT symbols.name, symbols.kind, files.path AS file, line, line_end AS lineEnd, symbols.parent, ${score}
       FROM places JOIN symbols ON symbols.id = places.rowid JOIN files ON files.id = symbols.file WHERE ${where}`,
      ...values,
    ) as unknown as ScoredPlace[]
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    const statement = known ?? this.#database.prepare(sql)
    if (!known) this.#statements.set(sql, statement)
    return statement
  }

  #all(sql: string, ...values: readonly (string | number | null)[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values) as Record<string, unknown>[]
  }

  #get(sql: string, ...values: readonly (string | number | null)[]): Record<string, unknown> | undefined {
    return this.#statement(sql).get(...values) as Record<string, unknown> | undefined
  }

  #run(sql: string, ...values: readonly (string | number | null)[]): void {
    this.#statement(sql).run(...values)
  }
}

/** How much a word counts in path, declared names and text of a file; and in the columns of a declaration. */
const FILE_WEIGHTS = [5, 5, 1]
const PLACE_WEIGHTS = [4, 2, 2, 2, 1]

function anyOf(forms: readonly string[]): string {
  return forms.map(quoted).join(' OR ')
}

function quoted(words: string): string {
  return `"${words.replaceAll('"', ' ')}"`
}

/** What is searched of each declaration: its own lines without those of its members, and what is written about it. */
function placesIn({ text = '', language, code }: ReadFile): readonly PlaceText[] {
  if (!code || code.declarations.length === 0) return []
  const lines = linesOf(text)
  const declared = code.declarations.toSorted((one, other) => one.line - other.line || other.lineEnd - one.lineEnd)
  const owners = new Int32Array(lines.length + 2).fill(-1)
  const around: number[] = []
  const parents = declared.map((each, index) => {
    while ((declared[around.at(-1) ?? -1]?.lineEnd ?? Infinity) < each.lineEnd) around.pop()
    const names = around.flatMap((outer) => declared[outer]?.name ?? [])
    owners.fill(index, each.line, Math.min(each.lineEnd, lines.length) + 1)
    around.push(index)
    return names.join(' ')
  })
  const own: string[][] = declared.map(() => [])
  for (const [index, line] of lines.entries()) own[owners[index + 1] ?? -1]?.push(line)
  return declared.map((each, index) => ({
    ...each,
    parent: [parents[index] ?? '', each.owner ?? ''].filter((name) => name !== '').join(' '),
    doc: docLines(lines, each, language)
      .map((line) => lines[line - 1] ?? '')
      .join(' '),
    body: (own[index] ?? []).join('\n'),
  }))
}

type PlaceText = Omit<Declaration, 'file'> & {
  readonly parent: string
  readonly doc: string
  readonly body: string
}

/** Only languages with packages look up names, and only capitalised ones. */
function declaredNames({ mentions, declarations }: ExtractedCode): readonly string[] {
  const hasScopes = Object.keys(mentions).length > 0
  return hasScopes ? [...new Set(declarations.map(({ name }) => name).filter((name) => /^[A-Z]/.test(name)))] : []
}

/**
 * Opens a codebase's cache, in memory if there is no path. A damaged cache, or one for another version or folder, is rebuilt:
 * it contains nothing but copies from the files.
 */
export function openCodeDatabase(root: string, cachePath: string | undefined): DatabaseSync {
  if (cachePath === undefined) return openTables(':memory:', root)
  const path = resolve(cachePath)
  try {
    mkdirSync(dirname(path), { recursive: true })
    refuseForeign(path)
    return openTables(path, root)
  } catch (error) {
    if (error instanceof PawlError) throw error
    if (!isDamaged(error)) throw unusable(path, error)
    dropCodeDatabase(path)
    return openTables(path, root)
  }
}

/** Deletes a damaged cache. Close its connection first. */
export function dropCodeDatabase(cachePath: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(resolve(cachePath) + ending, { force: true })
}

/** Whether the cache is damaged and should be deleted and rebuilt. */
export function isDamaged(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode ?? 0
  return code === SHORT_READ || [CORRUPT, NO_DATABASE].includes(code & 0xff)
}

const CORRUPT = 11
const NO_DATABASE = 26
const SHORT_READ = 522

/** Bytes 68 to 71 of the file mark it as ours. */
const APPLICATION_ID = 0x7061_636f
/** Increase it when the tables or the extracted data change: older caches are then rebuilt. */
const VERSION = 5
const BUSY_MS_MAX = 10_000

function openTables(path: string, root: string): DatabaseSync {
  // Not imported, because an older Node has no such module and couldn't even report that it is too old.
  const sqlite = process.getBuiltinModule('node:sqlite')
  const database = new sqlite.DatabaseSync(path, { timeout: BUSY_MS_MAX })
  try {
    // Before switching on the write-ahead log, so that it is written to the file itself, where `refuseForeign` reads it.
    if (database.prepare('PRAGMA application_id').get()?.['application_id'] === 0) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    }
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY')
    database.exec('BEGIN IMMEDIATE')
    if (!isOurs(database, root)) recreate(database, root)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function isOurs(database: DatabaseSync, root: string): boolean {
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  if (version !== VERSION) return false
  return database.prepare(`SELECT value FROM facts WHERE name = 'root'`).get()?.['value'] === root
}

const TABLES = ['words_vocabulary', 'words', 'places', 'edges', 'symbols', 'files', 'facts']

function recreate(database: DatabaseSync, root: string): void {
  for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}`)
  database.exec(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE files (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, language TEXT,
      bytes INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL, looked_at REAL NOT NULL, hash TEXT NOT NULL, code TEXT
    );
    CREATE TABLE symbols (
      id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL,
      line_end INTEGER NOT NULL, parent TEXT NOT NULL
    );
    CREATE INDEX symbols_by_name ON symbols (name);
    CREATE INDEX symbols_by_letters ON symbols (lower(name));
    CREATE INDEX symbols_by_file ON symbols (file);
    CREATE TABLE edges (source INTEGER NOT NULL, target INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
    CREATE INDEX edges_by_target ON edges (target);
    CREATE VIRTUAL TABLE words USING fts5(
      path, symbols, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE places USING fts5(
      name, parent, path, doc, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 0'
    );
    PRAGMA user_version = ${VERSION};
  `)
  database.prepare(`INSERT INTO facts VALUES ('root', ?)`).run(root)
}

/** Never overwrites a file that something else created. */
function refuseForeign(path: string): void {
  const header = Buffer.alloc(72)
  let length: number
  try {
    const descriptor = openSync(path, 'r')
    try {
      length = readSync(descriptor, header, 0, header.length, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (length === 0 || (header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === APPLICATION_ID))
    return
  throw new PawlError(
    'codebase.foreign-cache',
    `${path} is not a cache of a codebase: name another file as cachePath, or delete this one.`,
    { value: path },
  )
}

function unusable(path: string, cause: unknown): PawlError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new PawlError(
    'codebase.cache',
    `The cache ${path} cannot be used (${why}): make its folder writable or name another cachePath.`,
    {
      cause,
    },
  )
}
