import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { LOG_PAGES_MAX } from '../src/stores/sqlite-connection.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { WrittenRow } from './recorded-writes.ts'

/**
 * Inserts rows into a new file with the store's own tables, in the transactions they are grouped in, and says how many milliseconds
 * that took. The log is as long as the store's. Nothing is computed, looked up or awaited on the way: the least that writing them durably can cost.
 */
export async function bareInserts(path: string, transactions: readonly (readonly WrittenRow[])[]): Promise<number> {
  const store = sqliteStore({ path, synchronous: 'NORMAL' })
  await store.runs()
  await store.close()
  const database = new DatabaseSync(path)
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`)
    const begin = database.prepare('BEGIN IMMEDIATE')
    const commit = database.prepare('COMMIT')
    const prepared = preparedFor(database, transactions)
    const startedAt = performance.now()
    for (const rows of prepared) {
      begin.get()
      for (const { statement, values } of rows) statement.get(...values)
      commit.get()
    }
    return performance.now() - startedAt
  } finally {
    database.close()
  }
}

interface PreparedRow {
  readonly statement: StatementSync
  readonly values: readonly SQLInputValue[]
}

function preparedFor(
  database: DatabaseSync,
  transactions: readonly (readonly WrittenRow[])[],
): readonly (readonly PreparedRow[])[] {
  const statements = new Map<string, StatementSync>()
  const statementFor = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, known)
    return known
  }
  return transactions.map((rows) => rows.map(({ sql, values }) => ({ statement: statementFor(sql), values })))
}
