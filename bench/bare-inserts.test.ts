import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { bareInserts } from './bare-inserts.ts'
import { recordedWrites } from './recorded-writes.ts'
import { withTemporaryFolder } from './temporary-folder.ts'
import { timedRun } from './timed-run.ts'

const ITERATIONS = 20

test('BENCH-1 the bare side writes exactly the events and texts that the engine wrote, and no row outside a transaction of the engine', async () => {
  await withTemporaryFolder(async (folder) => {
    const [engineFile, bareFile] = [join(folder, 'engine.db'), join(folder, 'bare.db')]
    const transactions = await recordedWrites(() => timedRun(engineFile, ITERATIONS))
    expect(await bareInserts(bareFile, transactions)).toBeGreaterThan(0)
    const [engine, bare] = [contentOf(engineFile), contentOf(bareFile)]
    expect(bare).toEqual(engine)
    expect(engine.events.length).toBeGreaterThan(ITERATIONS * 5)
    expect(engine.texts.length).toBeGreaterThanOrEqual(ITERATIONS)
    expect(transactions.length).toBeLessThan(transactions.flat().length)
  })
})

test('BENCH-1 a transaction that is rolled back is not recorded, a statement outside any transaction is its own transaction', async () => {
  const transactions = await recordedWrites(async () => {
    const database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE events (seq INTEGER)')
    const insert = database.prepare('INSERT INTO events VALUES (?)')
    database.exec('BEGIN')
    insert.run(1)
    database.exec('ROLLBACK')
    insert.run(2)
    database.prepare('BEGIN IMMEDIATE').run()
    insert.run(3)
    insert.run(4)
    database.prepare('COMMIT').run()
    database.close()
  })
  expect(transactions.map((rows) => rows.map(({ values }) => values[0]))).toEqual([[2], [3, 4]])
})

function contentOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const events = database.prepare('SELECT seq, hex(hash) AS hash, event FROM events ORDER BY seq').all()
  const texts = database.prepare('SELECT hex(sha256) AS sha256, hex(content) AS content FROM texts ORDER BY sha256').all()
  database.close()
  return { events, texts }
}
