import { statSync } from 'node:fs'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteJournalEnds } from './sqlite-journal.ts'
import { DROP_DOUBLE_TEXTS, INDEX_TEXTS, LOWER_LAST_ID, PLACES_PER_RUN, TEXTS_ARE_INDEXED } from './sqlite-schema.ts'
import { type ClaimRule, judgeHolder, type KnownClaim } from './store-rules.ts'
import { type EventText, sizesOf, unusedTexts } from './store-space.ts'
import type { Claim, Store, StoreSizes } from './store.ts'

/** Removes runs from the file, and makes it smaller. */
export interface SqliteSpace {
  remove(claim: Claim): Promise<boolean>
  sizes(): Promise<StoreSizes>
  /** `claimOf` reads a row of the claims. */
  compact(rule: ClaimRule, claimOf: (row: Record<string, unknown>) => KnownClaim): ReturnType<Store['compact']>
}

/** What is kept in a file, and a way to have less of it. */
export function sqliteSpace({ database, path, transact, query }: SqliteConnection, ends: SqliteJournalEnds): SqliteSpace {
  const held = database.prepare(
    'SELECT runs.id FROM runs JOIN claims ON claims.run = runs.id WHERE runs.run = ? AND epoch = ? AND is_released = 0',
  )
  const events = database.prepare('SELECT runs.run, event AS text FROM events JOIN runs ON runs.id = events.run')
  const texts = database.prepare('SELECT lower(hex(sha256)) AS sha256, sum(length(content)) AS bytes FROM texts GROUP BY sha256')
  const claims = database.prepare('SELECT * FROM claims')
  const fileBytes = (): number =>
    [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return {
    remove: async ({ run, epoch }) =>
      transact(() => {
        const id = held.get(run, epoch)?.['id']
        if (id === undefined) return false
        const place = Number(id) * PLACES_PER_RUN
        database.prepare('DELETE FROM events WHERE place >= ? AND place < ?').run(place, place + PLACES_PER_RUN)
        for (const table of ['claims', 'snapshots', 'summaries', 'queue'])
          database.prepare(`DELETE FROM ${table} WHERE run = ?`).run(Number(id))
        database.prepare('DELETE FROM runs WHERE id = ?').run(Number(id))
        ends.remove(run)
        return true
      }),
    sizes: () =>
      query(() => {
        const byHash = new Map(texts.all().map(({ sha256, bytes }) => [String(sha256), Number(bytes)]))
        return sizesOf(events.all() as unknown as readonly EventText[], byHash, fileBytes())
      }),
    async compact(rule, claimOf) {
      const before = fileBytes()
      const isFree = await transact(() => {
        if (claims.all().some((row) => judgeHolder(claimOf(row), rule) !== undefined)) return false
        const all = texts.all().map(({ sha256 }) => String(sha256))
        const drops = ['text_ids', 'texts'].map((table) => database.prepare(`DELETE FROM ${table} WHERE sha256 = unhex(?)`))
        for (const sha256 of unusedTexts(events.iterate() as Iterable<unknown> as Iterable<EventText>, all))
          for (const drop of drops) drop.run(sha256)
        // The index first forgets ids that are free again.
        database.exec(`${LOWER_LAST_ID}; ${INDEX_TEXTS}; ${DROP_DOUBLE_TEXTS}; ${TEXTS_ARE_INDEXED}`)
        return true
      })
      if (!isFree) return undefined
      await query(() => database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
      return { bytesFreed: Math.max(0, before - fileBytes()) }
    },
  }
}
