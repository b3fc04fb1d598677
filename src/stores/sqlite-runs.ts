import type { RunId } from '../core/event.ts'
import type { RunEntry } from './store.ts'
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
    SELECT runs.run, last.seq, ${timeOf('first')} AS startedAt, ${timeOf('last')} AS updatedAt
    FROM runs
    JOIN events AS first ON first.place = (${FIRST_PLACE_OF_RUN})
    JOIN events AS last ON last.place = (${LAST_PLACE_OF_RUN})
    ORDER BY coalesce(updatedAt, startedAt, 0) DESC, runs.run`)
  return {
    idOf: (run) => Number(select.get(run)?.['id'] ?? insert.run(run).lastInsertRowid),
    list: () => query(() => list.all().map((row) => toEntry(row as unknown as Row))),
  }
}

/** When an event happened; null where it is not readable, since one damaged event must not hide all runs. */
function timeOf(table: string): string {
  return `iif(json_valid(${table}.event) AND json_type(${table}.event, '$.at') IN ('integer', 'real'), ${table}.event ->> '$.at', NULL)`
}

interface Row extends Omit<RunEntry, 'startedAt' | 'updatedAt'> {
  readonly startedAt: number | null
  readonly updatedAt: number | null
}

/** A damaged event has the time of the run's other end, or none at all. Reading the run says what is wrong. */
function toEntry({ run, seq, startedAt, updatedAt }: Row): RunEntry {
  return { run, seq, startedAt: startedAt ?? updatedAt ?? 0, updatedAt: updatedAt ?? startedAt ?? 0 }
}
