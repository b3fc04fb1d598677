import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { PawlError } from '../../core/pawl-error.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export interface SqliteTexts {
  /** Keeps bytes under their sha256; does nothing when they are there. */
  put(sha256: string, content: Buffer): Promise<void>
  get(sha256: string): Promise<string | undefined>
}

const deflateBytes = promisify(deflate)
const inflateBytes = promisify(inflate)

/** Shorter texts gain nothing worth the time. */
const DEFLATED_BYTES_MIN = 256

/** The table of texts, deflated where that makes them smaller. */
export function sqliteTexts({ database, path, transact, query }: SqliteConnection): SqliteTexts {
  const has = database.prepare('SELECT 1 FROM texts WHERE sha256 = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO texts (sha256, is_deflated, content) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT is_deflated AS isDeflated, content FROM texts WHERE sha256 = ?')
  return {
    async put(sha256, content) {
      const key = Buffer.from(sha256, 'hex')
      if ((await query(() => has.get(key))) !== undefined) return
      const deflated = content.byteLength < DEFLATED_BYTES_MIN ? content : await deflateBytes(content)
      const pays = deflated.byteLength < content.byteLength
      await transact(() => insert.run(key, pays ? 1 : 0, pays ? deflated : content))
    },
    async get(sha256) {
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
