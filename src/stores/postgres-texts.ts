import { hash } from 'node:crypto'
import { PawlError } from '../core/pawl-error.ts'
import type { PostgresConnection } from './postgres-connection.ts'

/** Texts that wait for the next append, in the order in which they are written: two appends can't wait for each other. */
export interface WaitingTexts {
  readonly hashes: readonly Buffer[]
  readonly contents: readonly Buffer[]
  /** Call it once they are written. */
  forget(): void
}

export interface PostgresTexts {
  put(sha256: string, content: Buffer): Promise<void> | undefined
  waiting(): WaitingTexts
  flushAlone(): Promise<void>
  get(sha256: string): Promise<string | undefined>
  drop(sha256: string): Promise<void>
}

/** At most this much waits in memory. */
const WAITING_BYTES_MAX = 1_000_000

/** The table of texts. The server compresses long ones itself. */
export function postgresTexts({ ask, where }: PostgresConnection, schema: string): PostgresTexts {
  const waiting = new Map<string, Buffer>()
  let waitingBytes = 0
  const take = (): WaitingTexts => {
    const taken = [...waiting].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return {
      hashes: taken.map(([sha256]) => Buffer.from(sha256, 'hex')),
      contents: taken.map(([, content]) => content),
      forget() {
        for (const [sha256, content] of taken) if (waiting.delete(sha256)) waitingBytes -= content.byteLength
      },
    }
  }
  const flushAlone = async (): Promise<void> => {
    const { hashes, contents, forget } = take()
    if (hashes.length === 0) return
    await ask(`INSERT INTO ${schema}.texts SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT DO NOTHING`, [
      hashes,
      contents,
    ])
    forget()
  }
  return {
    put(sha256, content) {
      if (!waiting.has(sha256)) waitingBytes += content.byteLength
      waiting.set(sha256, content)
      return waitingBytes > WAITING_BYTES_MAX ? flushAlone() : undefined
    },
    waiting: take,
    flushAlone,
    async get(sha256) {
      const unwritten = waiting.get(sha256)
      if (unwritten) return unwritten.toString('utf8')
      const [row] = await ask(`SELECT content FROM ${schema}.texts WHERE sha256 = $1`, [Buffer.from(sha256, 'hex')])
      if (row === undefined) return undefined
      const content = row['content'] as Buffer
      if (hash('sha256', content) === sha256) return content.toString('utf8')
      const message = `The text ${sha256} in ${where} is not what was written: bring back a copy of the database.`
      throw new PawlError('store.corrupt', message, { value: sha256 })
    },
    async drop(sha256) {
      if (waiting.has(sha256)) waitingBytes -= waiting.get(sha256)?.byteLength ?? 0
      waiting.delete(sha256)
      await ask(`DELETE FROM ${schema}.texts WHERE sha256 = $1`, [Buffer.from(sha256, 'hex')])
    },
  }
}
