import { DatabaseSync, StatementSync, type SQLInputValue, type StatementResultingChanges } from 'node:sqlite'

/** A row as the store wrote it: the statement and what was bound to it. */
export interface WrittenRow {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/**
 * Records the rows of events and texts that `work` writes through `node:sqlite`, grouped by the transactions that kept them. Looks
 * over the shoulder of the driver itself, so it sees what the store does and not what the bench believes it does.
 */
export async function recordedWrites(work: () => Promise<unknown>): Promise<readonly (readonly WrittenRow[])[]> {
  const { run, get } = StatementSync.prototype
  const { exec } = DatabaseSync.prototype
  const transactions: (readonly WrittenRow[])[] = []
  let open: WrittenRow[] | undefined

  const note = (sql: string, values: readonly SQLInputValue[]): void => {
    if (/^\s*BEGIN\b/i.test(sql)) open = []
    else if (/^\s*ROLLBACK\b/i.test(sql)) open = undefined
    else if (/^\s*COMMIT\b/i.test(sql)) {
      if (open && open.length > 0) transactions.push(open)
      open = undefined
    } else if (/\bINTO\s+(?:events|texts)\b/i.test(sql)) {
      if (open) open.push({ sql, values })
      else transactions.push([{ sql, values }])
    }
  }
  StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
    const result = (run as (...bound: SQLInputValue[]) => StatementResultingChanges).apply(this, values)
    note(this.sourceSQL, values)
    return result
  } as typeof run
  StatementSync.prototype.get = function (this: StatementSync, ...values: SQLInputValue[]) {
    const result = (get as (...bound: SQLInputValue[]) => ReturnType<typeof get>).apply(this, values)
    note(this.sourceSQL, values)
    return result
  } as typeof get
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    exec.call(this, sql)
    note(sql, [])
  }
  try {
    await work()
    return transactions
  } finally {
    StatementSync.prototype.run = run
    StatementSync.prototype.get = get
    DatabaseSync.prototype.exec = exec
  }
}
