import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/**
 * Remembers the state of the journal in a file and returns a function that restores it, so that the same run can be taken up many
 * times. Copying the file would do as well, but after copying 50 MB the machine has other things to do than to be measured.
 */
export function rewindable(path: string): () => void {
  const database = new DatabaseSync(path)
  const lastRow = database.prepare('SELECT max(rowid) AS last FROM events').get()?.['last'] as number
  const kept = SMALL_TABLES.map((table) => ({ table, rows: database.prepare(`SELECT * FROM ${table}`).all() }))
  database.close()
  return () => rewind(path, lastRow, kept)
}

/** One row for each run; all else is only ever added to. */
const SMALL_TABLES = ['claims', 'snapshots'] as const

interface Kept {
  readonly table: string
  readonly rows: readonly Record<string, SQLOutputValue>[]
}

function rewind(path: string, lastRow: number, kept: readonly Kept[]): void {
  const database = new DatabaseSync(path)
  database.exec('BEGIN')
  database.prepare('DELETE FROM events WHERE rowid > ?').run(lastRow)
  for (const { table, rows } of kept) {
    database.exec(`DELETE FROM ${table}`)
    for (const row of rows) {
      const values = Object.values(row)
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values)
    }
  }
  database.exec('COMMIT')
  database.close()
}
