import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { CodebaseContext, CodeIndex, Estimate, ReadableCodebase } from './codebase.ts'
import { CodeTables, dropCodeDatabase, isDamaged, openCodeDatabase } from './code-tables.ts'
import { codeIndex, updateIndex } from './code-index.ts'
import { estimateFiles } from './estimate-files.ts'
import { loadParsers, type Parsers } from './parse-code.ts'
import { readInside } from './read-inside.ts'
import { verifyCitations } from './verify-citations.ts'
import { byDefault, type EntriesOf, needed, optional, settingsSchema, TEXT, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export interface FolderCodebaseOptions {
  /** The folder. Files that git ignores are skipped; without a repository, those that `.gitignore` files exclude. */
  readonly path: string
  /** A SQLite file for the cache, which you can delete at any time. Default: none, so every process reads all files. */
  readonly cachePath?: string
  /** Skips files beyond this many, in path order. Default 50,000. */
  readonly filesMax?: number
  /** Larger files are known by name only. Default 1 MiB. */
  readonly fileBytesMax?: number
}

/**
 * The files of a folder: which of them matter for some terms, how they import each other, and whether a cited line exists.
 *
 * @part folder-codebase
 */
export function folderCodebase(options: FolderCodebaseOptions): ReadableCodebase {
  const { path, cachePath, filesMax, fileBytesMax } = readOptions('folderCodebase', OPTIONS, options)
  const folder = new Folder(resolve(path), cachePath, filesMax, fileBytesMax)
  return {
    spec: {
      name: 'folder-codebase',
      v: 1,
      settings: { path, ...(cachePath === undefined ? {} : { cachePath }), filesMax, fileBytesMax },
    },
    estimate: (request, context) => folder.estimate(request, context),
    verify: (citations, context) => Promise.resolve().then(() => verifyCitations(folder.root(), citations, context.signal)),
    index: (context) => folder.index(context),
  }
}

const OPTIONS = settingsSchema({
  path: needed(TEXT),
  cachePath: optional(TEXT),
  filesMax: byDefault(wholeNumber(1), 50_000),
  fileBytesMax: byDefault(wholeNumber(1), 1024 * 1024),
} satisfies EntriesOf<FolderCodebaseOptions>)

class Folder {
  readonly #path: string
  readonly #cachePath: string | undefined
  readonly #filesMax: number
  readonly #bytesMax: number
  #tables: CodeTables | undefined
  #updating: Promise<CodeTables> | undefined

  constructor(path: string, cachePath: string | undefined, filesMax: number, bytesMax: number) {
    this.#path = path
    this.#cachePath = cachePath
    this.#filesMax = filesMax
    this.#bytesMax = bytesMax
  }

  /** The folder's real path, without links. */
  root(): string {
    try {
      const root = realpathSync(this.#path)
      if (statSync(root).isDirectory()) return root
    } catch (error) {
      throw noFolder(this.#path, error)
    }
    throw noFolder(this.#path)
  }

  async estimate(request: Parameters<ReadableCodebase['estimate']>[0], context: CodebaseContext): Promise<Estimate> {
    const { tables, parsers } = await this.#updated(context)
    const known = tables.known()
    const files = estimateFiles(tables, request)
    const notes = [...parsers.notes, ...leftOut(known.filter(({ kind }) => kind === 'named').map(({ path }) => path))]
    const filesTotal = known.filter(({ kind }) => kind !== 'binary').length
    return { files, filesTotal, ...(notes.length > 0 ? { notes } : {}) }
  }

  async index(context: CodebaseContext): Promise<CodeIndex> {
    const { tables, parsers } = await this.#updated(context)
    return codeIndex({ tables, parsers, textOf: (path) => this.#text(path) })
  }

  #text(path: string): string | undefined {
    const read = readInside(this.root(), path, this.#bytesMax)
    return read.status === 'text' ? read.text : undefined
  }

  /** Waits for an update in progress. If that one was aborted, this one starts over. */
  async #updated(context: CodebaseContext): Promise<{ tables: CodeTables; parsers: Parsers }> {
    const parsers = await loadParsers()
    const root = this.root()
    while (this.#updating) await this.#updating.catch(() => undefined)
    context.signal.throwIfAborted()
    this.#updating = this.#update(root, parsers, context)
    try {
      return { tables: await this.#updating, parsers }
    } finally {
      this.#updating = undefined
    }
  }

  /** Damage may show only when a page is read: then rebuild the cache, once. */
  async #update(root: string, parsers: Parsers, context: CodebaseContext): Promise<CodeTables> {
    const options = { root, parsers, filesMax: this.#filesMax, bytesMax: this.#bytesMax, context }
    const open = () => (this.#tables ??= new CodeTables(openCodeDatabase(root, this.#cachePath)))
    try {
      await updateIndex({ ...options, tables: open() })
    } catch (error) {
      if (this.#cachePath === undefined || !isDamaged(error)) throw error
      this.#tables?.close()
      this.#tables = undefined
      dropCodeDatabase(this.#cachePath)
      await updateIndex({ ...options, tables: open() })
    }
    return open()
  }
}

const NAMED_MAX = 3

function leftOut(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  const shown = paths.slice(0, NAMED_MAX).join(', ')
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : ''
  return [`Known by name only, because they are large, made by a program or cannot be read: ${shown}${more}.`]
}

function noFolder(path: string, cause?: unknown): PawlError {
  return new PawlError('codebase.no-folder', `There is no folder ${path} to research: name one that exists.`, {
    value: path,
    cause,
  })
}
