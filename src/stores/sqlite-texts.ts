import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { PawlError } from '../core/pawl-error.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { DROP_DOUBLE_TEXTS, INDEX_TEXTS, LOWER_LAST_ID, TEXTS_ARE_INDEXED } from './sqlite-schema.ts'

export interface SqliteTexts {
  /**
   * Writes bytes under their sha256, at the latest with the next event: nothing refers to them before. Returns a promise only if they
   * must be deflated, or too many are waiting.
   */
  put(sha256: string, content: Buffer): Promise<void> | undefined
  /** Writes the waiting texts within an open transaction; call the returned function once it is committed. */
  flush(): () => void
  /** Writes the waiting texts in a separate transaction. */
  flushAlone(): Promise<void>
  get(sha256: string): Promise<string | undefined>
  drop(sha256: string): Promise<void>
}

// Imported when used: a hook, which an agent waits for, writes no long text.
const deflateBytes = async (bytes: Buffer): Promise<Buffer> =>
  promisify<Buffer, Buffer>((await import('node:zlib')).deflate)(bytes)
const inflateBytes = async (bytes: Uint8Array): Promise<Buffer> =>
  promisify<Uint8Array, Buffer>((await import('node:zlib')).inflate)(bytes)

/** Deflating shorter texts isn't worth the time. */
const DEFLATED_BYTES_MIN = 4096

/** For a longer text it's worth checking whether it already exists. */
const LOOKED_FOR_BYTES_MIN = 4096

/** At most this much waits in memory. */
const WAITING_BYTES_MAX = 1_000_000

/** Unindexed texts are searched one by one, so there should not be many. Indexing a few is as much work as many. */
const UNINDEXED_MAX = 1024

/** How many a new connection tolerates: short processes, which wrote a few each, left them. */
const UNINDEXED_AT_FIRST_MAX = 256

/** How many written texts a connection remembers: repetitions come soon. */
const WRITTEN_MAX = 256

/** The table of texts, deflated if that makes them smaller. */
export function sqliteTexts({ database, path, transact, query }: SqliteConnection): SqliteTexts {
  const insert = database.prepare('INSERT INTO texts (sha256, is_deflated, content) VALUES (unhex(?), ?, ?)')
  const insertUnlessThere = database.prepare(`
    INSERT INTO texts (sha256, is_deflated, content)
    SELECT unhex(?1), ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM text_ids WHERE sha256 = unhex(?1))
      AND NOT EXISTS (SELECT 1 FROM texts WHERE id > (SELECT last_id FROM indexed_texts) AND sha256 = unhex(?1))`)
  const drops = ['DELETE FROM text_ids WHERE sha256 = unhex(?1)', 'DELETE FROM texts WHERE sha256 = unhex(?1)'].map((sql) =>
    database.prepare(sql),
  )
  const lowerLastId = database.prepare(LOWER_LAST_ID)
  const select = database.prepare(`
    SELECT is_deflated AS isDeflated, content FROM texts WHERE id = coalesce(
      (SELECT id FROM text_ids WHERE sha256 = ?1),
      (SELECT id FROM texts WHERE id > (SELECT last_id FROM indexed_texts) AND sha256 = ?1 ORDER BY id DESC LIMIT 1))`)
  const countUnindexed = database.prepare(
    'SELECT coalesce(max(id), 0) - (SELECT last_id FROM indexed_texts) AS unindexed FROM texts',
  )
  const takeIn = database.prepare(INDEX_TEXTS)
  const waiting = new Map<string, { readonly content: Buffer; readonly kept: Buffer }>()
  let waitingBytes = 0
  /** Texts that this connection wrote: they exist unless someone dropped them since. */
  const written = new Set<string>()
  /** Counted by the first write: many short processes with a text or two each must not leave a long tail. */
  let unindexed: number | undefined

  const unindexedInFile = (): number => Number(countUnindexed.get()?.['unindexed'])
  const takeIntoIndex = (): void => {
    const { changes } = takeIn.run()
    if (changes < unindexedInFile()) database.exec(DROP_DOUBLE_TEXTS)
    database.exec(TEXTS_ARE_INDEXED)
  }
  const flush = (): (() => void) => {
    if (waiting.size === 0) return nothingToForget
    const tail = (unindexed ?? unindexedInFile()) + waiting.size
    for (const [sha256, { content, kept }] of waiting) {
      // Most texts are new, so a short one is not looked up: indexing deletes duplicates.
      const isLookedFor = written.has(sha256) || kept.byteLength >= LOOKED_FOR_BYTES_MIN
      ;(isLookedFor ? insertUnlessThere : insert).get(sha256, kept === content ? 0 : 1, kept)
    }
    const isIndexing = tail > (unindexed === undefined ? UNINDEXED_AT_FIRST_MAX : UNINDEXED_MAX)
    if (isIndexing) takeIntoIndex()
    return () => {
      unindexed = isIndexing ? 0 : tail
      if (written.size > WRITTEN_MAX) written.clear()
      for (const sha256 of waiting.keys()) written.add(sha256)
      waiting.clear()
      waitingBytes = 0
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
  const keep = (sha256: string, content: Buffer, kept: Buffer): Promise<void> | undefined => {
    waiting.set(sha256, { content, kept })
    waitingBytes += kept.byteLength
    return waitingBytes > WAITING_BYTES_MAX ? flushAlone() : undefined
  }
  const deflateAndKeep = async (sha256: string, content: Buffer): Promise<void> => {
    const deflated = await deflateBytes(content)
    await keep(sha256, content, deflated.byteLength < content.byteLength ? deflated : content)
  }
  return {
    put: (sha256, content) =>
      content.byteLength < DEFLATED_BYTES_MIN ? keep(sha256, content, content) : deflateAndKeep(sha256, content),
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
        () => void written.delete(sha256),
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
