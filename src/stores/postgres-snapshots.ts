import type { RunId } from '../core/event.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { snapshotReader, snapshotRow, type SnapshotRow } from './store-snapshot.ts'
import type { Snapshot } from './store.ts'

export interface PostgresSnapshots {
  /** `text` is the state as JSON. */
  put(run: RunId, snapshot: Snapshot, text: string): Promise<void>
  get(run: RunId): Promise<Snapshot | undefined>
}

/** One snapshot per run: the last one put. */
export function postgresSnapshots({ ask, transact }: PostgresConnection, schema: string): PostgresSnapshots {
  const read = snapshotReader()
  return {
    async put(run, snapshot, text) {
      const { seq, hash, version, state } = snapshotRow(snapshot, text)
      await transact(async (client) => {
        await client.query(`INSERT INTO ${schema}.runs (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
        await client.query(
          `INSERT INTO ${schema}.snapshots SELECT id, $2::int, $3, $4::int, $5 FROM ${schema}.runs WHERE run = $1
           ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, version = excluded.version, state = excluded.state`,
          [run, seq, hash, version, state],
        )
      })
    },
    async get(run) {
      const [row] = await ask(
        `SELECT seq, hash, version, state FROM ${schema}.snapshots WHERE run = (SELECT id FROM ${schema}.runs WHERE run = $1)`,
        [run],
      )
      return read(row as unknown as SnapshotRow | undefined)
    },
  }
}
