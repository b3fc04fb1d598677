import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyChain } from '../../journal/hash-chain.ts'
import { currentProcessIdentity } from '../../process/process-identity.ts'
import { claimed, drive, iterationStarted } from '../../testing/store-case.ts'
import { startStoreWriter } from '../../testing/store-writer-process.ts'
import type { StoreWriter } from '../../testing/store-writer-process.ts'
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

test('STORE-22 eight processes that drive eight runs at once lose nothing and see no error', async () => {
  await Promise.all(PROCESSES.map((index) => start(`run ${index}`, 'NORMAL')))
  for (const writer of writers) writer.ask(`claim\ndrive ${EVENTS_EACH}`)
  const places = Array.from({ length: EVENTS_EACH }, (_, index) => `${index + 1}`)
  for (const said of await Promise.all(writers.map((writer) => writer.finish()))) expect(said).toEqual(['claimed', ...places])

  const store = sqliteStore({ path })
  for (const index of PROCESSES) {
    expect(verifyChain(await store.readStored(`run ${index}`))).toMatchObject({ ok: true, seq: EVENTS_EACH })
  }
  await store.close()
})

test('STORE-22 eight processes that write to one run at once lose nothing and see no error', async () => {
  await Promise.all(PROCESSES.map(() => start('one run', 'NORMAL')))
  for (const writer of writers) writer.ask(`tell ${EVENTS_EACH}`)
  const said = (await Promise.all(writers.map((writer) => writer.finish()))).flat()
  const places = Array.from({ length: EVENTS_EACH * PROCESSES.length }, (_, index) => index + 1)
  expect(said.map(Number).toSorted((a, b) => a - b)).toEqual(places)

  const store = sqliteStore({ path })
  expect(verifyChain(await store.readStored('one run'))).toMatchObject({ ok: true, seq: places.length })
  await store.close()
})

test('STORE-23 what a killed process was told is written is there, the chain holds, and the run is free at once', async () => {
  const writer = await start('run')
  writer.ask('claim')
  writer.ask('drive 100000')
  const said: (string | undefined)[] = []
  while (said.length < 200) said.push(await writer.hear())
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
  })
  await store.close()
})

test('STORE-14 a process that was suspended for longer than its lease wakes up fenced', async () => {
  const leaseMs = 200
  const writer = await start('run', 'FULL', String(leaseMs))
  writer.ask('claim')
  writer.ask('drive 3')
  for (const word of ['claimed', '1', '2', '3']) expect(await writer.hear()).toBe(word)
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
  expect(await writer.hear()).toBe('claimed')
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
