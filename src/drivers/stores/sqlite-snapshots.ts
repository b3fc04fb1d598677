import type { RunId } from '../../core/event.ts'
import type { Snapshot } from '../../ports/store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteRuns } from './sqlite-runs.ts'

export interface SqliteSnapshots {
  /** `text` is the state as JSON. */
  put(run: RunId, snapshot: Snapshot, text: string): Promise<void>
  get(run: RunId): Promise<Snapshot | undefined>
}

/** One snapshot for each run: the last one put. They are caches, so a power cut may take them back. */
export function sqliteSnapshots({ database, transactLightly, query }: SqliteConnection, runs: SqliteRuns): SqliteSnapshots {
  const replace = database.prepare('REPLACE INTO snapshots (run, seq, hash, version, state) VALUES (?, ?, ?, ?, ?)')
  const select = database.prepare(
    'SELECT seq, hash, version, state FROM snapshots WHERE run = (SELECT id FROM runs WHERE run = ?)',
  )
  return {
    async put(run, { seq, hash, version }, text) {
      await transactLightly(() => replace.run(runs.idOf(run), seq, hash, version, text))
    },
    async get(run) {
      const row = (await query(() => select.get(run))) as unknown as Row | undefined
      return row && parseRow(row)
    },
  }
}

interface Row extends Omit<Snapshot, 'state'> {
  readonly state: string
}

/** A damaged snapshot is as good as none: the state is folded from the journal instead. */
function parseRow({ seq, hash, version, state }: Row): Snapshot | undefined {
  try {
    return { seq, hash, version, state: JSON.parse(state) }
  } catch {
    return undefined
  }
}
