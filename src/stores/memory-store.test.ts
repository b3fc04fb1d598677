import { expect, test } from 'vitest'
import { runPaused } from '../testing/store-case.ts'
import { storeConformance } from '../testing/store-conformance.ts'
import { memoryDisk, memoryStore } from './memory-store.ts'

const cases = storeConformance('memory', ({ leaseMs }) => {
  const disk = memoryDisk()
  return { open: () => memoryStore({ disk, leaseMs }), dispose: () => undefined }
})

test.for(cases)('$name', async ({ run }) => {
  await expect(run()).resolves.toBeUndefined()
})

test('STORE-20 a simulator decides what time it is and who is alive', async () => {
  let now = 1_000
  const dead = new Set<number>()
  const store = memoryStore({ leaseMs: 100, now: () => now, isAlive: ({ pid }) => !dead.has(pid) })
  const [one, two] = [1, 2].map((pid) => ({ pid, startedAt: 'now', host: 'simulated' })) as [never, never]
  expect(await store.claim('r', one)).toMatchObject({ status: 'claimed' })
  expect(await store.claim('r', two)).toEqual({ status: 'held', holder: one, since: 1_000 })
  now += 101
  expect(await store.claim('r', two)).toMatchObject({ status: 'claimed', takenOverFrom: one })
  dead.add(2)
  expect(await store.claim('r', one)).toMatchObject({ status: 'claimed', takenOverFrom: two })
})

test('STORE-2 who changes an event after reading it changes only the own copy', async () => {
  const store = memoryStore()
  await store.append('r', [runPaused('tea')])
  const [event] = await store.read('r')
  Object.assign(event?.data ?? {}, { reason: 'changed' })
  expect(await store.read('r')).toMatchObject([{ data: { reason: 'tea' } }])
})

test.each([0, -1, Number.NaN, Infinity])('STORE-21 a lease of %s milliseconds is refused at construction', (leaseMs) => {
  expect(() => memoryStore({ leaseMs })).toThrow(/leaseMs/)
})
