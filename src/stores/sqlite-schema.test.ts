import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TextRef } from '../core/event-data.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { claimed, drive, iterationStarted, runPaused } from '../testing/store-case.ts'
import { sqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

let folder: string
let path: string
let opened: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-schema-'))
  path = join(folder, 'pawl.db')
  opened = []
})

afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true })
})

function open(): Store {
  const store = sqliteStore({ path })
  opened.push(store)
  return store
}

/** Keeps so many texts in one go. */
async function many(count: number): Promise<void> {
  const store = open()
  for (let index = 0; index < count; index++) await store.putText({ text: `one of many ${index}`, bytesCut: 0 })
  await store.close()
}

/** The tables as version 1 had them, with what is in the file now. */
const BACK_TO_VERSION_1 = `
  CREATE TABLE events_1 (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, event TEXT NOT NULL, UNIQUE (run, seq)
  ) STRICT;
  INSERT INTO events_1 SELECT run, seq, hash, event FROM events ORDER BY seq, run;
  DROP TABLE events;
  ALTER TABLE events_1 RENAME TO events;
  CREATE TABLE texts_1 (sha256 BLOB NOT NULL UNIQUE, is_deflated INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
  INSERT INTO texts_1 SELECT sha256, is_deflated, content FROM texts;
  DROP TABLE texts;
  DROP TABLE text_ids;
  DROP TABLE indexed_texts;
  ALTER TABLE texts_1 RENAME TO texts;
  ALTER TABLE claims DROP COLUMN renewed_up_ms;
  DROP TABLE summaries;
  DROP TABLE queue;
  DROP TABLE queue_turns;
  PRAGMA user_version = 1;
`

test('STORE-210 a file of the first version is brought to the present one, and nothing in it is lost or changed', async () => {
  const before = open()
  const runs = ['a', 'b']
  for (const run of runs) {
    const claim = await claimed(before, run)
    for (let seq = 0; seq < 20; seq++) await drive(before, claim, seq, iterationStarted(seq + 1))
  }
  const refs = await Promise.all(['short', 'long '.repeat(5_000)].map((text) => before.putText({ text, bytesCut: 0 })))
  await before.close()
  const journals = await Promise.all(runs.map((run) => open().readStored(run)))
  for (const store of opened) await store.close()
  const raw = new DatabaseSync(path)
  raw.exec(BACK_TO_VERSION_1)
  raw.close()

  const store = open()
  expect(await Promise.all(runs.map((run) => store.readStored(run)))).toEqual(journals)
  expect((await store.runs()).map(({ run, seq }) => [run, seq])).toEqual(
    expect.arrayContaining([
      ['a', 20],
      ['b', 20],
    ]),
  )
  expect(await Promise.all(refs.map((ref) => store.getText(ref)))).toEqual(['short', 'long '.repeat(5_000)])
  await store.append('a', [runPaused('tea')])
  expect(verifyChain(await store.readStored('a'))).toMatchObject({ ok: true, seq: 21 })
  const migrated = new DatabaseSync(path, { readOnly: true })
  expect(migrated.prepare('PRAGMA user_version').get()).toEqual({ user_version: 5 })
  migrated.close()
})

test('STORE-210 a file of the second version takes claims as before', async () => {
  const before = open()
  await drive(before, await claimed(before, 'a'), 0, iterationStarted(1))
  await before.close()
  const raw = new DatabaseSync(path)
  raw.exec(
    'ALTER TABLE claims DROP COLUMN renewed_up_ms; DROP TABLE summaries; DROP TABLE queue; DROP TABLE queue_turns; PRAGMA user_version = 2',
  )
  raw.close()
  const store = open()
  expect(await store.claim('a', currentProcessIdentity())).toMatchObject({ status: 'held' })
  expect((await store.claim('b', currentProcessIdentity())).status).toBe('claimed')
})

test('STORE-211 every text is found, whether the index has it yet or not, and from another process too', async () => {
  const store = open()
  const refs = []
  for (let count = 0; count < 1400; count++) {
    refs.push(await store.putText({ text: `text ${count}`, bytesCut: 0 }))
    if (count % 4 === 3) await store.append('r', [runPaused(String(count))])
  }
  // The index was brought up to date once on the way: when there were more than 1,024.
  expect(textCounts()).toEqual({ kept: 1400, unindexed: 1400 - 1028 })
  const other = open()
  for (const [count, ref] of refs.entries()) expect(await other.getText(ref)).toBe(`text ${count}`)
  for (const ref of refs) await other.putText({ text: (await other.getText(ref)) as string, bytesCut: 0 })
  await other.append('r', [runPaused('again')])
  // What was kept again is there once: what a connection finds is taken in with the first that it writes.
  expect(textCounts()).toEqual({ kept: 1400, unindexed: 0 })
})

function textCounts(): unknown {
  const raw = new DatabaseSync(path, { readOnly: true })
  try {
    const counts = 'SELECT count(*) AS kept, max(id) - (SELECT last_id FROM indexed_texts) AS unindexed FROM texts'
    return { ...raw.prepare(counts).get() }
  } finally {
    raw.close()
  }
}

test('STORE-232 a short text that many processes kept is found, and is there once as soon as the index has it', async () => {
  await many(254)
  let ref: TextRef | undefined
  for (let count = 0; count < 5; count++) {
    const store = open()
    ref = await store.putText({ text: 'the same', bytesCut: 0 })
    await store.close()
  }
  expect(await open().getText(ref as TextRef)).toBe('the same')
  const raw = new DatabaseSync(path, { readOnly: true })
  const row = raw.prepare('SELECT count(*) AS kept FROM texts WHERE id <= (SELECT last_id FROM indexed_texts)').get()
  raw.close()
  expect(row).toEqual({ kept: 255 })
})

test('STORE-211 many short processes, each with one text, leave no long tail that has to be searched', async () => {
  await many(250)
  for (let count = 0; count < 10; count++) {
    const store = open()
    await store.putText({ text: `text ${count}`, bytesCut: 0 })
    await store.close()
  }
  const raw = new DatabaseSync(path, { readOnly: true })
  const row = raw.prepare('SELECT max(id) - (SELECT last_id FROM indexed_texts) AS unindexed FROM texts').get()
  raw.close()
  expect(row?.['unindexed']).toBeLessThan(10)
})
