import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PawlError } from '../core/pawl-error.ts'
import { canonical } from '../journal/canonical.ts'
import { chainHashOfText, verifyChain } from '../journal/hash-chain.ts'
import { claimed, iterationStarted, runPaused } from '../testing/store-case.ts'
import { startStoreWriter } from '../../test/support/store-writer-process.ts'
import { sqliteStore } from './sqlite-store.ts'
import type { Claim, Store } from './store.ts'

let folder: string
let path: string
let opened: Store[]
let store: Store
let claim: Claim

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-tampering-'))
  path = join(folder, '.pawl/pawl.db')
  opened = []
  store = open()
  claim = await claimed(store, 'r')
  await store.append('r', [iterationStarted(1), iterationStarted(2), iterationStarted(3)], { claim, expectedSeq: 0 })
})

afterEach(async () => {
  for (const each of opened) await each.close()
  rmSync(folder, { recursive: true })
})

describe('a database that an agent got hold of', () => {
  it.each<[string, () => void, string]>([
    ['its folder is deleted', () => rmSync(join(folder, '.pawl'), { recursive: true }), 'was deleted while it was in use'],
    ['it is deleted', () => rmSync(path), 'was deleted while it was in use'],
    ['another file is moved over it', () => moveOver(), 'was replaced by another file'],
    ['its log is deleted', () => rmSync(`${path}-wal`), '-wal was deleted or replaced'],
    ['the index of its log is deleted', () => rmSync(`${path}-shm`), '-shm was deleted or replaced'],
  ])(
    'STORE-200 %s: the next look says so, nothing more is written, and all that was acknowledged is saved',
    async (_name, harm, words) => {
      harm()
      await untilLookedAgain()
      const error = await refused(next())
      expect(error.message).toContain(words)
      const { copy } = error.value as { copy: string }
      expect(error.message).toContain(`is in ${copy}: `)
      expect(statSync(copy).mode & 0o777).toBe(0o600)
      expect(verifyChain(await open(copy).readStored('r'))).toMatchObject({ ok: true, seq: 3 })
      expect((await refused(next())).message).toBe(error.message)
      expect(readdirSync(join(folder, '.pawl')).filter((name) => /rescued-\d+\.db$/.test(name))).toEqual(['pawl-rescued-1.db'])
    },
  )

  it('STORE-200 the copy, moved to the old place, resumes where it was', async () => {
    rmSync(join(folder, '.pawl'), { recursive: true })
    await untilLookedAgain()
    const { copy } = (await refused(next())).value as { copy: string }
    await store.close()
    renameSync(copy, path)
    const again = open()
    expect(await again.append('r', [iterationStarted(4)], { claim, expectedSeq: 3 })).toMatchObject({ status: 'appended' })
    expect(verifyChain(await again.readStored('r'))).toMatchObject({ ok: true, seq: 4 })
  })

  it('STORE-200 it is noticed also when many appends went before', async () => {
    for (let seq = 3; seq < 40; seq++) expect(await next(seq + 1, seq)).toMatchObject({ status: 'appended' })
    rmSync(`${path}-wal`)
    await untilLookedAgain()
    expect((await refused(next(41, 40))).message).toContain('was deleted or replaced while it was in use')
  })

  it('STORE-220 what is acknowledged before anyone looked again is saved, too', async () => {
    rmSync(path)
    for (let seq = 3; seq < 1000; seq++) {
      const error = await next(seq + 1, seq).then(
        () => undefined,
        (reason: PawlError) => reason,
      )
      if (!error) continue
      const { copy } = error.value as { copy: string }
      expect(verifyChain(await open(copy).readStored('r'))).toMatchObject({ ok: true, seq })
      return
    }
    throw new Error('It was never noticed.')
  })

  it.each([
    ['the run is released', () => store.release(claim)],
    ['the store is closed', () => store.close()],
  ])('STORE-220 it is noticed at once when %s', async (_name, leave) => {
    rmSync(join(folder, '.pawl'), { recursive: true })
    const { copy } = (await refused(leave())).value as { copy: string }
    expect(verifyChain(await open(copy).readStored('r'))).toMatchObject({ ok: true, seq: 3 })
    await store.close()
  })
})

describe('a database whose index an agent deleted', () => {
  it('STORE-204 a second process refuses to open it, the first one stops at its next append, and nothing acknowledged is lost', async () => {
    rmSync(`${path}-shm`)
    const second = await startStoreWriter(path, 'r')
    second.ask('tell 3 r')
    await expect(second.finish()).rejects.toThrow('-shm was deleted while another process has')
    expect(existsSync(`${path}-shm`)).toBe(false)
    const { copy } = (await refused(next())).value as { copy: string }
    expect(verifyChain(await open(copy).readStored('r'), 'r')).toMatchObject({ ok: true, seq: 3 })
    await store.close()
    expect(verifyChain(await open().readStored('r'), 'r')).toMatchObject({ ok: true, seq: 3 })
  })

  it('STORE-204 where another program made a new one and wrote, the first process stops and has saved its events', async () => {
    rmSync(`${path}-shm`)
    execFileSync(process.execPath, ['-e', FOREIGN_WRITER, path])
    await untilLookedAgain()
    const { copy } = (await refused(next())).value as { copy: string }
    expect(verifyChain(await open(copy).readStored('r'), 'r')).toMatchObject({ ok: true, seq: 3 })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a claim is renewed', () => store.renew(claim)],
    ['another run is claimed', () => claimed(store, 'another')],
    ['a state is cached', () => store.putSnapshot('r', { seq: 3, hash: 'h', version: 1, state: {} })],
  ])('STORE-205 it is noticed also when %s, and nothing is written', async (_name, write) => {
    rmSync(`${path}-shm`)
    await untilLookedAgain()
    expect((await refused(write())).message).toContain('-shm was deleted or replaced')
  })

  it('STORE-206 a file and its log that were brought back without it are opened with all that is in them', async () => {
    const copy = join(folder, 'copy.db')
    cpSync(path, copy)
    cpSync(`${path}-wal`, `${copy}-wal`)
    const again = open(copy)
    expect(verifyChain(await again.readStored('r'), 'r')).toMatchObject({ ok: true, seq: 3 })
    expect(await again.append('r', [runPaused('x')])).toMatchObject({ status: 'appended' })
  })
})

describe('a journal that an agent got hold of', () => {
  it.each([
    ['all its events are removed', 'DELETE FROM events', 'Event 1 of the run "r"'],
    ['its end is removed', 'DELETE FROM events WHERE seq = 3', 'Event 3 of the run "r"'],
    ['the run is removed', 'DELETE FROM runs', 'Event 1 of the run "r"'],
    [
      'its end is changed',
      `UPDATE events SET event = replace(event, 'iteration', 'other') WHERE seq = 3`,
      'is not what was written',
    ],
    ['its end has another hash', `UPDATE events SET hash = x'00' WHERE seq = 3`, 'is not what was written'],
    [
      'an event is put at its end',
      `INSERT INTO events (place, hash, event) SELECT place + 1, hash, event FROM events WHERE seq = 3`,
      'Event 4 of the run "r"',
    ],
  ])('STORE-201 %s: the next append says so and writes nothing, instead of a conflict', async (_name, sql, words) => {
    raw(sql)
    const before = rows()
    const error = await refused(next())
    expect(error.message).toContain(words)
    expect(error.message).toContain('pawl verify r')
    await refused(store.append('r', [runPaused('by a person')]))
    expect(rows()).toEqual(before)
  })

  it('STORE-201 other runs in the same file continue', async () => {
    raw('DELETE FROM events WHERE seq = 3')
    await refused(next())
    expect(await store.append('another', [runPaused('tea')])).toMatchObject({ status: 'appended' })
  })

  it('STORE-202 an event that fits the chain is noticed too, where only the holder could have written it', async () => {
    forge('check.passed', 'check')
    expect((await refused(next())).message).toContain('Event 4 of the run "r"')
    expect((await refused(next())).message).toContain('was put in by someone else')
  })

  it('STORE-202 what people say through other processes, and what a later holder writes, is no tampering', async () => {
    const other = open()
    await other.append('r', [runPaused('by a person')])
    expect(await next()).toMatchObject({ status: 'conflict', seq: 4 })
    expect(await next(4, 4)).toMatchObject({ status: 'appended' })
    await store.release(claim)
    const later = await claimed(other, 'r')
    await other.append('r', [iterationStarted(5)], { claim: later, expectedSeq: 5 })
    expect(await next(6, 5)).toMatchObject({ status: 'fenced' })
    await store.append('r', [runPaused('by a person')])
    expect(await other.append('r', [iterationStarted(6)], { claim: later, expectedSeq: 7 })).toMatchObject({ status: 'appended' })
    expect(verifyChain(await other.readStored('r'))).toMatchObject({ ok: true, seq: 8 })
  })

  it('STORE-203 a process that meets the run for the first time looks at the newest events', async () => {
    raw(`UPDATE events SET event = replace(event, 'iteration', 'other') WHERE seq = 2`)
    expect((await refused(open().append('r', [runPaused('x')]))).message).toContain('Event 2 of the run "r"')
    expect(existsSync(join(folder, '.pawl/pawl-rescued-1.db'))).toBe(false)
  })
})

/** A program that knows nothing of Pawl and writes into the file at its first argument. */
const FOREIGN_WRITER = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1])
  for (let index = 0; index < 20; index++) database.exec("INSERT INTO runs (run) VALUES ('foreign " + index + "')")
  database.close()`

function open(at = path): Store {
  const made = sqliteStore({ path: at })
  opened.push(made)
  return made
}

function next(iteration = 4, expectedSeq = 3) {
  return store.append('r', [iterationStarted(iteration)], { claim, expectedSeq })
}

/** The files are not looked at more often than every 20 ms. */
function untilLookedAgain(): Promise<void> {
  return sleep(30)
}

async function refused(append: Promise<unknown>): Promise<PawlError> {
  const error = await append.then(
    (result) => Promise.reject(new Error(`It was taken: ${JSON.stringify(result)}`)),
    (reason: PawlError) => reason,
  )
  expect(error).toMatchObject({ code: 'store.tampered' })
  return error
}

function moveOver(): void {
  const other = join(folder, 'other.db')
  cpSync(path, other)
  renameSync(other, path)
}

/** As the sqlite3 program would. */
function raw(sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

function rows(): unknown[] {
  const database = new DatabaseSync(path)
  const found = database.prepare('SELECT seq, hex(hash), event FROM events WHERE run = 1').all()
  database.close()
  return found
}

/** Appends an event as someone would who knows how the chain is made. */
function forge(type: string, role: string): void {
  const database = new DatabaseSync(path)
  const last = database.prepare('SELECT place, hash, event FROM events ORDER BY seq DESC LIMIT 1').get()
  const { place, hash, event } = last as { place: number; hash: Uint8Array; event: string }
  const text = canonical({ ...JSON.parse(event), seq: 4, type, by: { role } })
  const sealed = Buffer.from(chainHashOfText(Buffer.from(hash).toString('hex'), text), 'hex')
  database.prepare('INSERT INTO events (place, hash, event) VALUES (?, ?, ?)').run(place + 1, sealed, text)
  database.close()
}
