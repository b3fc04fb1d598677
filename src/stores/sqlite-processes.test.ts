import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyChain } from '../journal/hash-chain.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { claimed, drive, iterationStarted } from '../testing/store-case.ts'
import { startStoreWriter } from '../../test/support/store-writer-process.ts'
import type { StoreWriter } from '../../test/support/store-writer-process.ts'
import { sqliteStore } from './sqlite-store.ts'

const PROCESSES = Array.from({ length: 8 }, (_, index) => index)
const EVENTS_EACH = 1_000

let folder: string
let path: string
let writers: StoreWriter[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-processes-'))
  path = join(folder, '.pawl', 'pawl.db')
  writers = []
})

afterEach(async () => {
  for (const writer of writers) writer.signal('SIGKILL')
  await Promise.all(writers.map((writer) => writer.finish().catch(() => [])))
  rmSync(folder, { recursive: true })
})

test('STORE-22 eight processes that write at once, to eight runs and then to one, lose nothing and see no error', async () => {
  await Promise.all(PROCESSES.map((index) => start(`run-${index}`, 'NORMAL')))
  const store = sqliteStore({ path })

  const ownPlaces = Array.from({ length: EVENTS_EACH }, (_, index) => `${index + 1}`)
  for (const writer of writers) writer.ask(`claim\ndrive ${EVENTS_EACH}`)
  const driven = await Promise.all(writers.map((writer) => writer.hearMany(EVENTS_EACH + 1)))
  for (const said of driven) expect(said).toEqual(['claimed', ...ownPlaces])
  for (const index of PROCESSES) {
    expect(verifyChain(await store.readStored(`run-${index}`))).toMatchObject({ ok: true, seq: EVENTS_EACH })
  }

  const sharedPlaces = Array.from({ length: EVENTS_EACH * PROCESSES.length }, (_, index) => index + 1)
  for (const writer of writers) writer.ask(`tell ${EVENTS_EACH} one-run`)
  const told = (await Promise.all(writers.map((writer) => writer.finish()))).flat().map(Number)
  expect(told.toSorted((a, b) => a - b)).toEqual(sharedPlaces)
  expect(verifyChain(await store.readStored('one-run'))).toMatchObject({ ok: true, seq: sharedPlaces.length })
  await store.close()
})

test('STORE-23 writes acknowledged to a killed process are there, the chain holds, and the run is free at once', async () => {
  const writer = await start('run')
  writer.ask('claim')
  writer.ask('drive 100000')
  const said = await writer.hearMany(200)
  writer.signal('SIGKILL')
  const last = Number([...said, ...(await writer.finish())].at(-1))

  const store = sqliteStore({ path })
  const events = await store.readStored('run')
  expect(events.length).toBeGreaterThanOrEqual(last)
  expect(events.length).toBeLessThanOrEqual(last + 1)
  expect(verifyChain(events)).toMatchObject({ ok: true, seq: events.length })
  expect(await store.claim('run', currentProcessIdentity())).toMatchObject({
    status: 'claimed',
    takenOverFrom: { pid: expect.any(Number) },
    lastSeenAt: expect.any(Number),
  })
  await store.close()
})

test('STORE-14 a process that was suspended for longer than its lease wakes up fenced', async () => {
  const leaseMs = 200
  const writer = await start('run', 'FULL', String(leaseMs))
  writer.ask('claim')
  writer.ask('drive 3')
  expect(await writer.hearMany(4)).toEqual(['claimed', '1', '2', '3'])
  writer.signal('SIGSTOP')
  await sleep(leaseMs * 2)

  const store = sqliteStore({ path, leaseMs })
  const claim = await claimed(store, 'run')
  await drive(store, claim, 3, iterationStarted(4))
  writer.ask('drive 1')
  writer.signal('SIGCONT')
  expect(await writer.finish()).toEqual(['fenced'])
  expect(await store.read('run')).toHaveLength(4)
  await store.close()
})

test('STORE-10 a run that another process holds is refused while that process lives', async () => {
  const writer = await start('run')
  writer.ask('claim')
  expect(await writer.hearMany(1)).toEqual(['claimed'])
  const store = sqliteStore({ path })
  expect(await store.claim('run', currentProcessIdentity())).toMatchObject({ status: 'held' })
  await writer.finish()
  expect(await store.claim('run', currentProcessIdentity())).toMatchObject({ status: 'claimed' })
  await store.close()
})

async function start(run: string, ...options: readonly string[]): Promise<StoreWriter> {
  const writer = await startStoreWriter(path, run, ...options)
  writers.push(writer)
  return writer
}
