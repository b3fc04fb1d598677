import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Declaration, DeclarationKind, ImportEdge } from './codebase.ts'
import type { ExtractedCode } from './extract-code.ts'
import type { LanguageName } from './language.ts'
import type { ListedFile } from './listed-files.ts'
import type { SourceFile } from './source-file.ts'
import { withSpacedNames } from './split-words.ts'

/** `text`: read whole. `named`: known by its name only, because it is large, made by a program or unreadable. `binary`: no text. */
export type FileKind = 'text' | 'named' | 'binary'

/** A file as it was when it was last looked at. */
export interface KnownFile extends ListedFile {
  readonly id: number
  readonly kind: FileKind
  readonly lookedAt: number
  readonly hash: string
}

/** A file as it was just read. */
export interface ReadFile extends ListedFile {
  readonly kind: FileKind
  readonly lookedAt: number
  readonly hash: string
  readonly text?: string
  readonly language?: LanguageName
  readonly code?: ExtractedCode
}

/** The tables of the cache: what is written and what is asked. Everything that is asked comes back sorted by path. */
export class CodeTables {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  close(): void {
    this.#database.close()
  }

  /** Does all of it or nothing. */
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
    const known = this.#get('SELECT id FROM files WHERE path = ?', file.path)?.['id']
    // What was never there has nothing to be forgotten.
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
    for (const { name, kind, line, lineEnd } of declarations) {
      this.#run('INSERT INTO symbols VALUES (?, ?, ?, ?, ?)', id, name, kind, line, lineEnd)
    }
    const columns = [file.path, declarations.map(({ name }) => name).join(' '), file.text ?? ''].map(withSpacedNames)
    this.#run('INSERT INTO words (rowid, path, symbols, body) VALUES (?, ?, ?, ?)', id, ...columns)
  }

  /** Only what the system says of the file has changed. */
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
    this.#run('DELETE FROM symbols WHERE file = ?', id)
    this.#run('DELETE FROM words WHERE rowid = ?', id)
  }

  /** How many times files were changed since imports were resolved; 0 when they are up to date. */
  changesUnresolved(): number {
    return Number(this.#get(`SELECT value FROM facts WHERE name = 'changes'`)?.['value'] ?? 0)
  }

  addChange(): void {
    this.#run(`INSERT OR REPLACE INTO facts VALUES ('changes', ?)`, String(this.changesUnresolved() + 1))
  }

  /** Imports were resolved as of so many changes; where another process has made more since, they stay unresolved. */
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

  /** The same whatever the case of the letters. */
  symbolsLike(name: string): readonly Declaration[] {
    return this.#symbols('lower(symbols.name) = lower(?)', name)
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

  /** Words of the codebase that begin so. */
  wordsFrom(prefix: string, wordsMax: number): readonly string[] {
    const rows = this.#all(
      'SELECT term FROM words_vocabulary WHERE term >= ? AND term < ? ORDER BY term LIMIT ?',
      prefix,
      `${prefix}\u{10FFFF}`,
      wordsMax,
    )
    return rows.map(({ term }) => String(term))
  }

  /** Files in whose column one word of every group stands; the greater the weight, the more it stands out there. */
  matches(column: 'path' | 'symbols' | 'body', groups: readonly (readonly string[])[]): ReadonlyMap<string, number> {
    const query = `{${column}} : ${groups.map((words) => `(${words.map((word) => `"${word}"`).join(' OR ')})`).join(' AND ')}`
    const rows = this.#all(
      'SELECT files.path, -bm25(words) AS weight FROM words JOIN files ON files.id = words.rowid WHERE words MATCH ? ORDER BY files.path',
      query,
    )
    return new Map(rows.map(({ path, weight }) => [String(path), Number(weight)]))
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

/** Only languages with scopes look names up, and only capitalised ones. */
function declaredNames({ mentions, declarations }: ExtractedCode): readonly string[] {
  const hasScopes = Object.keys(mentions).length > 0
  return hasScopes ? [...new Set(declarations.map(({ name }) => name).filter((name) => /^[A-Z]/.test(name)))] : []
}
