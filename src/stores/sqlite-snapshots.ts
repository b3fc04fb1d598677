import type { RunId } from '../core/event.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteRuns } from './sqlite-journal.ts'
import { snapshotReader, snapshotRow, type SnapshotRow } from './store-snapshot.ts'
import type { Snapshot } from './store.ts'

export interface SqliteSnapshots {
  /** `text` is the state as JSON. */
  put(run: RunId, snapshot: Snapshot, text: string): Promise<void>
  get(run: RunId): Promise<Snapshot | undefined>
}

/** One snapshot per run: the last one put. They are caches, so a power cut may undo them. */
export function sqliteSnapshots({ database, transactLightly, query }: SqliteConnection, runs: SqliteRuns): SqliteSnapshots {
  const replace = database.prepare('REPLACE INTO snapshots (run, seq, hash, version, state) VALUES (?, ?, ?, ?, ?)')
  const select = database.prepare(
    'SELECT seq, hash, version, state FROM snapshots WHERE run = (SELECT id FROM runs WHERE run = ?)',
  )
  const read = snapshotReader()
  return {
    async put(run, snapshot, text) {
      const { seq, hash, version, state } = snapshotRow(snapshot, text)
      await transactLightly(() => replace.run(runs.idOf(run), seq, hash, version, state))
    },
    get: async (run) => read((await query(() => select.get(run))) as unknown as SnapshotRow | undefined),
  }
}
