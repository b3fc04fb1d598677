import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyChain } from '../journal/hash-chain.ts'
import { claimed, drive, iterationStarted, runPaused } from '../testing/store-case.ts'
import { openSqlite, storeError } from './sqlite-connection.ts'
import { sqliteStore, storeOver } from './sqlite-store.ts'
import type { Store } from './store.ts'

const LEASE_MS = 60_000

let folder: string
let path: string
let opened: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-sqlite-'))
  path = join(folder, 'pawl.db')
  opened = []
})

afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true })
})

test('STORE-24 the folder and its files are for the owner only, and .pawl keeps itself out of git', async () => {
  await open(join(folder, 'deep/.pawl/pawl.db')).append('r', [runPaused('tea')])
  const made = join(folder, 'deep/.pawl')
  expect(statSync(made).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(made, '.gitignore'), 'utf8')).toBe('*\n')
  const files = readdirSync(made).filter((name) => name.startsWith('pawl.db'))
  expect(files.map((name) => [name, statSync(join(made, name)).mode & 0o777])).toEqual([
    ['pawl.db', 0o600],
    ['pawl.db-shm', 0o600],
    ['pawl.db-wal', 0o600],
  ])
})

test('STORE-24 a folder that was there, and one with another name, get no .gitignore', async () => {
  mkdirSync(join(folder, '.pawl'))
  await open(join(folder, '.pawl/pawl.db')).runs()
  await open(join(folder, 'other/pawl.db')).runs()
  expect(readdirSync(join(folder, '.pawl'))).not.toContain('.gitignore')
  expect(readdirSync(join(folder, 'other'))).not.toContain('.gitignore')
})

test('STORE-24 nothing is made before the store is used', () => {
  open(join(folder, '.pawl/pawl.db'))
  expect(readdirSync(folder)).toEqual([])
})

test('STORE-25 a text that can be made smaller is stored smaller, and is there once', async () => {
  const store = open()
  for (let time = 0; time < 5; time++) await store.putText({ text: 'a line like any other\n'.repeat(50_000), bytesCut: 0 })
  await store.close()
  expect(statSync(path).size).toBeLessThan(100_000)
})

test('STORE-26 a full disk is said with the way out; what was acknowledged stays, and after making room it continues', async () => {
  const connection = await openSqlite({ path, synchronous: 'FULL' })
  const store = storeOver(path, async () => connection, LEASE_MS)
  opened.push(store)
  const claim = await claimed(store, 'r')
  await drive(store, claim, 0, iterationStarted(1))
  connection.database.exec('PRAGMA max_page_count = 1')
  const large = runPaused('x'.repeat(100_000))
  await expect(store.append('r', [runPaused('small'), large])).rejects.toMatchObject({
    code: 'store.disk-full',
    message: expect.stringContaining('free some space'),
  })
  const ref = await store.putText({ text: String(largeNumbers()), bytesCut: 0 })
  await expect(store.append('r', [runPaused('small')])).rejects.toMatchObject({ code: 'store.disk-full' })
  expect(verifyChain(await open().readStored('r'))).toMatchObject({ ok: true, seq: 1 })
  connection.database.exec('PRAGMA max_page_count = 100000')
  expect(await store.append('r', [large])).toMatchObject({ status: 'appended', events: [{ seq: 2 }] })
  expect(await open().getText(ref)).toBe(String(largeNumbers()))
})

test('STORE-27 a path that cannot be a file is said with the way out', async () => {
  writeFileSync(join(folder, 'file'), '')
  for (const bad of [join(folder, 'file/pawl.db'), join(folder, 'file/deeper/pawl.db'), folder]) {
    await expect(open(bad).runs()).rejects.toMatchObject({ code: 'store.path', message: expect.stringContaining(bad) })
  }
  expect(() => sqliteStore({ path: '' })).toThrow(/must be the path of a file/)
})

test('STORE-27 a folder that may not be written is said with the way out', async () => {
  chmodSync(folder, 0o500)
  // Root may write everywhere, so root becomes an ordinary user for a moment.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.('nobody')
  try {
    await expect(open().runs()).rejects.toMatchObject({ code: expect.stringMatching(/^store\.(read-only|path)$/) })
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o700)
  }
})

test('STORE-27 a database that may not be written is said with the way out', async () => {
  await open().runs()
  const database = new DatabaseSync(path, { readOnly: true })
  expect(mapped(() => database.exec('DELETE FROM events'))).toMatchObject({ code: 'store.read-only' })
  database.close()
})

test('STORE-28 a file that is no database, or is damaged, is refused and left as it is', async () => {
  writeFileSync(path, 'this is not a database, only a text that is long enough to be looked at'.repeat(100))
  const before = readFileSync(path)
  await expect(open().runs()).rejects.toMatchObject({ code: 'store.corrupt', message: expect.stringContaining(path) })
  expect(readFileSync(path)).toEqual(before)
})

test('STORE-28 damaged pages, events and texts are said to be damaged, not read as something else', async () => {
  const store = open()
  for (let count = 0; count < 50; count++) await store.append('r', [runPaused('x'.repeat(1_000))])
  const ref = await store.putText({ text: 'the text', bytesCut: 0 })
  await store.append('r', [runPaused('last')])
  const raw = new DatabaseSync(path)
  raw.exec(`UPDATE texts SET content = x'00'; UPDATE events SET event = '{' WHERE seq = 7`)
  await expect(store.getText(ref)).rejects.toMatchObject({ code: 'store.corrupt' })
  await expect(store.read('r')).rejects.toMatchObject({ code: 'store.corrupt' })
  raw.close()
  await store.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xff, 4096 * 2))
  await expect(open().read('r')).rejects.toMatchObject({ code: 'store.corrupt' })
})

test('STORE-28 an event that was changed in the file is found by its hash', async () => {
  const store = open()
  for (let count = 0; count < 3; count++) await store.append('r', [runPaused('tea')])
  const raw = new DatabaseSync(path)
  raw.exec(`UPDATE events SET event = replace(event, 'tea', 'gin') WHERE seq = 2`)
  raw.close()
  expect(verifyChain(await store.readStored('r'))).toMatchObject({ ok: false, seq: 2 })
})

test('STORE-29 a file of a newer Pawl, or of another program, is refused in one sentence and left as it is', async () => {
  await open().runs()
  const raw = new DatabaseSync(path)
  raw.exec('PRAGMA user_version = 99')
  await expect(open().runs()).rejects.toMatchObject({ code: 'store.newer-schema', message: expect.stringMatching(/update Pawl/) })
  raw.exec('PRAGMA application_id = 7')
  await expect(open().runs()).rejects.toMatchObject({ code: 'store.not-a-journal' })
  raw.close()
  const theirs = new DatabaseSync(join(folder, 'theirs.db'))
  theirs.exec('CREATE TABLE theirs (id)')
  theirs.close()
  const before = readFileSync(join(folder, 'theirs.db'))
  await expect(open(join(folder, 'theirs.db')).runs()).rejects.toMatchObject({ code: 'store.not-a-journal' })
  expect(readFileSync(join(folder, 'theirs.db'))).toEqual(before)
})

test('STORE-29 an event of a newer version is refused when read, but can be verified', async () => {
  const store = open()
  await store.append('r', [runPaused('tea')])
  const raw = new DatabaseSync(path)
  raw.exec(`UPDATE events SET event = replace(event, '"v":1', '"v":99')`)
  raw.close()
  await expect(store.read('r')).rejects.toMatchObject({ code: 'journal.newer' })
  expect(await store.readStored('r')).toMatchObject([{ v: 99 }])
})

test('STORE-30 a lock that is never given back is waited for, then said; afterwards the store works again', async () => {
  const store = storeOver(path, () => openSqlite({ path, synchronous: 'FULL', busyMsMax: 100 }), LEASE_MS)
  opened.push(store)
  await store.append('r', [runPaused('tea')])
  const raw = new DatabaseSync(path)
  raw.exec('BEGIN IMMEDIATE')
  await expect(store.append('r', [runPaused('tea')])).rejects.toMatchObject({ code: 'store.busy' })
  expect(await store.read('r')).toHaveLength(1)
  raw.exec('COMMIT')
  raw.close()
  expect(await store.append('r', [runPaused('tea')])).toMatchObject({ status: 'appended', events: [{ seq: 2 }] })
})

test('STORE-30 opening that failed is tried again at the next use', async () => {
  writeFileSync(path, 'not a database'.repeat(1_000))
  const store = open()
  await expect(store.runs()).rejects.toMatchObject({ code: 'store.corrupt' })
  rmSync(path)
  expect(await store.runs()).toEqual([])
})

test('STORE-31 eight stores that open a new file at the same time all find their tables', async () => {
  const stores = Array.from({ length: 8 }, () => open())
  await Promise.all(stores.map((store) => store.append('r', [runPaused('tea')])))
  expect(await stores[0]?.read('r')).toHaveLength(8)
})

test.each([
  ['the first', 1, '{'],
  ['the last', 3, '{'],
  ['the last', 3, '{"at":"soon"}'],
  ['the last', 3, '[]'],
])(
  'STORE-233 a run of which %s event (%i) was made %s is listed with all others, and only reading it fails',
  async (_which, seq, text) => {
    const store = open()
    await store.append('bad', [runPaused('1'), runPaused('2'), runPaused('3')])
    await store.append('good', [runPaused('1')])
    behindItsBack(`UPDATE events SET event = '${text}' WHERE run = 1 AND seq = ${seq}`)
    const entry = { seq: 3, startedAt: 2000, updatedAt: 2000 }
    expect(await store.runs()).toEqual([
      { run: 'bad', ...entry },
      { run: 'good', ...entry, seq: 1 },
    ])
    await expect(store.readStored('bad')).rejects.toMatchObject({ code: 'store.corrupt' })
    expect(await store.readStored('good')).toHaveLength(1)
  },
)

test('STORE-233 a run without any readable event is listed, too', async () => {
  const store = open()
  await store.append('bad', [runPaused('1')])
  behindItsBack("UPDATE events SET event = 'rubbish'")
  expect(await store.runs()).toEqual([{ run: 'bad', seq: 1, startedAt: 0, updatedAt: 0 }])
})

test.each([
  ['its state', "state = replace(state, 'fast', 'evil')"],
  ['its place', 'seq = 2'],
  ['its hash', "hash = 'other'"],
  ['all of it', "state = 'rubbish'"],
])('STORE-234 a cached state of which %s was edited is reported as damaged', async (_what, edit) => {
  const store = open()
  const snapshot = { seq: 1, hash: 'h', version: 1, state: { command: 'bin/fast.sh' } }
  await store.putSnapshot('r', snapshot)
  expect(await store.getSnapshot('r')).toEqual(snapshot)
  behindItsBack(`UPDATE snapshots SET ${edit}`)
  expect(await store.getSnapshot('r')).toMatchObject({ state: null, isDamaged: true })
})

test('STORE-234 one that an older Pawl cached is as good as none', async () => {
  const store = open()
  await store.putSnapshot('r', { seq: 1, hash: 'h', version: 1, state: {} })
  behindItsBack("UPDATE snapshots SET state = '{}'")
  expect(await store.getSnapshot('r')).toBeUndefined()
})

/** Changes the file behind the store's back. */
function behindItsBack(sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

function open(at = path): ReturnType<typeof sqliteStore> {
  const store = sqliteStore({ path: at, leaseMs: LEASE_MS })
  opened.push(store)
  return store
}

function mapped(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return storeError(error, path)
  }
}

/** Does not get smaller by compressing. */
function largeNumbers(): readonly number[] {
  return Array.from({ length: 5_000 }, (_, index) => Math.sin(index))
}
