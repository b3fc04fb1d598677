import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { PawlError } from '../../core/pawl-error.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export interface SqliteTexts {
  /** Keeps bytes under their sha256, at the latest when the next event is appended: nothing refers to them before. */
  put(sha256: string, content: Buffer): Promise<void>
  /** Writes what is waiting, within a transaction that is open; what it returns is called once that is committed. */
  flush(): () => void
  /** Writes what is waiting, in a transaction of its own. */
  flushAlone(): Promise<void>
  get(sha256: string): Promise<string | undefined>
}

const deflateBytes = promisify(deflate)
const inflateBytes = promisify(inflate)

/** Shorter texts gain nothing worth the time. */
const DEFLATED_BYTES_MIN = 4096

/** More than this does not wait in memory. */
const WAITING_BYTES_MAX = 1_000_000

/** The table of texts, deflated where that makes them smaller. */
export function sqliteTexts({ database, path, transact, query }: SqliteConnection): SqliteTexts {
  const insert = database.prepare('INSERT OR IGNORE INTO texts (sha256, is_deflated, content) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT is_deflated AS isDeflated, content FROM texts WHERE sha256 = ?')
  const waiting = new Map<string, { readonly content: Buffer; readonly kept: Buffer }>()
  const flush = (): (() => void) => {
    const written = [...waiting]
    for (const [sha256, { content, kept }] of written) insert.run(Buffer.from(sha256, 'hex'), kept === content ? 0 : 1, kept)
    return () => {
      for (const [sha256] of written) waiting.delete(sha256)
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
  }
}

interface Row {
  readonly isDeflated: 0 | 1
  readonly content: Uint8Array
}

function damaged(path: string, sha256: string): PawlError {
  const message = `The text ${sha256} in ${path} is not what was written: bring back a copy of the file.`
  return new PawlError('store.corrupt', message, { value: sha256 })
}
