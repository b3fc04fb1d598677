import type { RunId } from '../../core/event.ts'
import type { RunEntry } from '../../ports/store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { FIRST_PLACE_OF_RUN, LAST_PLACE_OF_RUN } from './sqlite-schema.ts'

export interface SqliteRuns {
  /** The small number that stands for a run in all tables, given when first asked for. To be called within a transaction. */
  idOf(run: RunId): number
  /** Runs with at least one event, the one touched last first. */
  list(): Promise<readonly RunEntry[]>
}

/** The table of runs. */
export function sqliteRuns({ database, query }: SqliteConnection): SqliteRuns {
  const select = database.prepare('SELECT id FROM runs WHERE run = ?')
  const insert = database.prepare('INSERT INTO runs (run) VALUES (?)')
  const list = database.prepare(`
    SELECT runs.run, last.seq, first.event ->> '$.at' AS startedAt, last.event ->> '$.at' AS updatedAt
    FROM runs
    JOIN events AS first ON first.place = (${FIRST_PLACE_OF_RUN})
    JOIN events AS last ON last.place = (${LAST_PLACE_OF_RUN})
    ORDER BY updatedAt DESC, runs.run`)
  return {
    idOf: (run) => Number(select.get(run)?.['id'] ?? insert.run(run).lastInsertRowid),
    list: () => query(() => list.all().map((row) => ({ ...row }) as unknown as RunEntry)),
  }
}
