import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { PawlError } from '../../core/pawl-error.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { INDEX_TEXTS } from './sqlite-schema.ts'

export interface SqliteTexts {
  /** Keeps bytes under their sha256, at the latest when the next event is appended: nothing refers to them before. */
  put(sha256: string, content: Buffer): Promise<void>
  /** Writes what is waiting, within a transaction that is open; what it returns is called once that is committed. */
  flush(): () => void
  /** Writes what is waiting, in a transaction of its own. */
  flushAlone(): Promise<void>
  get(sha256: string): Promise<string | undefined>
  drop(sha256: string): Promise<void>
}

// Looked up when called: short processes, which keep no long text, need not load zlib.
const deflateBytes = (bytes: Buffer): Promise<Buffer> => promisify<Buffer, Buffer>(deflate)(bytes)
const inflateBytes = (bytes: Uint8Array): Promise<Buffer> => promisify<Uint8Array, Buffer>(inflate)(bytes)

/** Shorter texts gain nothing worth the time. */
const DEFLATED_BYTES_MIN = 4096

/** More than this does not wait in memory. */
const WAITING_BYTES_MAX = 1_000_000

/** Those not yet in the index are looked through one by one, so there should not be many. */
const UNINDEXED_MAX = 64

/** The table of texts, deflated where that makes them smaller. */
export function sqliteTexts({ database, path, transact, query }: SqliteConnection): SqliteTexts {
  const insert = database.prepare(`
    INSERT INTO texts (sha256, is_deflated, content)
    SELECT unhex(?1), ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM text_ids WHERE sha256 = unhex(?1))`)
  const insertAgain = database.prepare(`
    INSERT INTO texts (sha256, is_deflated, content)
    SELECT unhex(?1), ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM text_ids WHERE sha256 = unhex(?1))
      AND NOT EXISTS (SELECT 1 FROM texts WHERE id > (SELECT last_id FROM indexed_texts) AND sha256 = unhex(?1))`)
  const drops = ['DELETE FROM text_ids WHERE sha256 = unhex(?1)', 'DELETE FROM texts WHERE sha256 = unhex(?1)'].map((sql) =>
    database.prepare(sql),
  )
  // The next text may get the id of one that was dropped, and would be taken for one in the index.
  const lowerLastId = database.prepare(
    'UPDATE indexed_texts SET last_id = min(last_id, (SELECT coalesce(max(id), 0) FROM texts))',
  )
  const select = database.prepare(`
    SELECT is_deflated AS isDeflated, content FROM texts WHERE id = coalesce(
      (SELECT id FROM text_ids WHERE sha256 = ?1),
      (SELECT id FROM texts WHERE id > (SELECT last_id FROM indexed_texts) AND sha256 = ?1))`)
  const countUnindexed = database.prepare(
    'SELECT coalesce(max(id), 0) - (SELECT last_id FROM indexed_texts) AS unindexed FROM texts',
  )
  const waiting = new Map<string, { readonly content: Buffer; readonly kept: Buffer }>()
  /** What this connection wrote and the index does not have: need not be written again, unless someone dropped it since. */
  const unindexed = new Set<string>()
  /** Many short processes, each with a text or two, must not leave a long tail: the first one that writes counts what is there. */
  let unindexedBefore: number | undefined

  const flush = (): (() => void) => {
    if (waiting.size === 0) return nothingToForget
    const written = [...waiting.keys()]
    const before = unindexedBefore ?? Number(countUnindexed.get()?.['unindexed'])
    for (const [sha256, { content, kept }] of waiting)
      (unindexed.has(sha256) ? insertAgain : insert).run(sha256, kept === content ? 0 : 1, kept)
    const isIndexing = before + unindexed.size + written.length > UNINDEXED_MAX
    if (isIndexing) database.exec(INDEX_TEXTS)
    return () => {
      for (const sha256 of written) waiting.delete(sha256)
      unindexedBefore = isIndexing ? 0 : before
      if (isIndexing) unindexed.clear()
      else for (const sha256 of written) unindexed.add(sha256)
    }
  }
  const flushAlone = async (): Promise<void> => {
    let forget: (() => void) | undefined
    if (waiting.size > 0)
      await transact(
        () => void (forget = flush()),
        () => forget?.(),
      )
  }
  return {
    async put(sha256, content) {
      const deflated = content.byteLength < DEFLATED_BYTES_MIN ? content : await deflateBytes(content)
      waiting.set(sha256, { content, kept: deflated.byteLength < content.byteLength ? deflated : content })
      const bytes = [...waiting.values()].reduce((sum, { kept }) => sum + kept.byteLength, 0)
      if (bytes > WAITING_BYTES_MAX) await flushAlone()
    },
    flush,
    flushAlone,
    async get(sha256) {
      const unwritten = waiting.get(sha256)
      if (unwritten) return unwritten.content.toString('utf8')
      const row = (await query(() => select.get(Buffer.from(sha256, 'hex')))) as Row | undefined
      if (row === undefined) return undefined
      const content = row.isDeflated === 1 ? await inflateBytes(row.content).catch(() => undefined) : row.content
      if (content === undefined || hash('sha256', content) !== sha256) throw damaged(path, sha256)
      return Buffer.from(content).toString('utf8')
    },
    async drop(sha256) {
      waiting.delete(sha256)
      await transact(
        () => {
          for (const each of drops) each.run(sha256)
          lowerLastId.run()
        },
        () => void unindexed.delete(sha256),
      )
    },
  }
}

function nothingToForget(): void {}

interface Row {
  readonly isDeflated: 0 | 1
  readonly content: Uint8Array
}

function damaged(path: string, sha256: string): PawlError {
  const message = `The text ${sha256} in ${path} is not what was written: bring back a copy of the file.`
  return new PawlError('store.corrupt', message, { value: sha256 })
}
