import type { RunId } from '../core/event.ts'
import type { Snapshot } from './store.ts'
import { FINGERPRINT_LENGTH, fingerprint } from './fingerprint.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteRuns } from './sqlite-runs.ts'

export interface SqliteSnapshots {
  /** `text` is the state as JSON. */
  put(run: RunId, snapshot: Snapshot, text: string): Promise<void>
  get(run: RunId): Promise<Snapshot | undefined>
}

/**
 * One snapshot for each run: the last one put. They are caches, so a power cut may take them back. Before the state stands a
 * fingerprint of the row, so that one that was edited is not believed. Whoever makes that anew is believed here, and found by
 * `pawl verify`.
 */
export function sqliteSnapshots({ database, transactLightly, query }: SqliteConnection, runs: SqliteRuns): SqliteSnapshots {
  const replace = database.prepare('REPLACE INTO snapshots (run, seq, hash, version, state) VALUES (?, ?, ?, ?, ?)')
  const select = database.prepare(
    'SELECT seq, hash, version, state FROM snapshots WHERE run = (SELECT id FROM runs WHERE run = ?)',
  )
  /** The row that was found to be whole last: whoever loads a state does so more than once. */
  let whole: Row | undefined
  return {
    async put(run, { seq, hash, version }, text) {
      await transactLightly(() =>
        replace.run(runs.idOf(run), seq, hash, version, fingerprintOf({ seq, hash, version }, text) + text),
      )
    },
    async get(run) {
      const row = (await query(() => select.get(run))) as unknown as Row | undefined
      // One without a fingerprint is of an older Pawl, and as good as none: the state is folded from the journal instead.
      if (row === undefined || row.state.startsWith('{')) return undefined
      const { seq, hash, version } = row
      const text = row.state.slice(FINGERPRINT_LENGTH)
      if (!(whole && isSame(row, whole)) && !row.state.startsWith(fingerprintOf(row, text)))
        return { seq, hash, version, state: null, isDamaged: true }
      whole = row
      return { seq, hash, version, state: JSON.parse(text) }
    },
  }
}

interface Row extends Omit<Snapshot, 'state'> {
  readonly state: string
}

/** Covers the event's hash, too, and with it the run: no row can stand for another. */
function fingerprintOf({ seq, hash, version }: Omit<Snapshot, 'state'>, text: string): string {
  return fingerprint(`${seq} ${hash} ${version} ${text}`)
}

function isSame(one: Row, other: Row): boolean {
  return one.seq === other.seq && one.hash === other.hash && one.version === other.version && one.state === other.state
}
