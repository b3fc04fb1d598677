import { expect, test } from 'vitest'
import { EVENT_VERSION, type StoredEvent } from '../core/event.ts'
import { GENESIS, chainHash, verifyChain } from './hash-chain.ts'
import { upcast, type Upcaster, UPCASTERS } from './upcast.ts'

const UPCASTERS_OF_THREE: readonly Upcaster[] = [
  { type: 'run.paused', from: 1, up: (data) => ({ why: (data as { reason: string }).reason }) },
  { type: 'run.paused', from: 2, up: (data) => ({ ...(data as object), asked: false }) },
  { type: 'run.aborted', from: 1, up: () => 'not for run.paused' },
]

test('JOURNAL-8 an old event goes through the upcasters of its type, one version after the other', () => {
  const event = pausedOf(1)
  const present = upcast(event, UPCASTERS_OF_THREE, 3)
  expect(present).toEqual({ ...event, v: 3, data: { why: 'tea', asked: false } })
  expect(upcast(pausedOf(2), UPCASTERS_OF_THREE, 3)).toMatchObject({ data: { reason: 'tea', asked: false } })
})

test('JOURNAL-8 the chain is verified over the events as stored, not as upcast', () => {
  const event = pausedOf(1)
  expect(verifyChain([event])).toMatchObject({ ok: true })
  expect(verifyChain([upcast(event, UPCASTERS_OF_THREE, 3) as StoredEvent])).toMatchObject({ ok: false, seq: 1 })
})

test('JOURNAL-9 an event of the present version is given back as it is', () => {
  const event = pausedOf(EVENT_VERSION)
  expect(upcast(event)).toBe(event)
})

test('JOURNAL-9 the list has no upcaster from the present version or a later one, and no two for the same', () => {
  expect(UPCASTERS.filter(({ from }) => from >= EVENT_VERSION)).toEqual([])
  expect(new Set(UPCASTERS.map(({ type, from }) => `${type} ${from}`)).size).toBe(UPCASTERS.length)
})

test('JOURNAL-10 an event of a newer version is refused with journal.newer and the way out', () => {
  const newer = pausedOf(EVENT_VERSION + 1)
  expect(() => upcast(newer)).toThrow(/^Event 1 of the run "r" .* update Pawl/)
  expect(() => upcast(newer)).toThrow(expect.objectContaining({ code: 'journal.newer', value: EVENT_VERSION + 1 }))
})

test.each([
  ['work.finished', { key: 'k', costUsd: 1e308, tokens: 5 }, { key: 'k', tokens: 5, isUsagePartial: true }],
  ['work.failed', { costUsd: 1, sessionUsed: { costUsd: 1e308 } }, { costUsd: 1 }],
  ['work.failed', { costUsd: 1e308, sessionUsed: { tokens: 3 } }, { isUsagePartial: true, sessionUsed: { tokens: 3 } }],
  ['iteration.ended', { iteration: 1, costUsd: null, tokens: 5 }, { iteration: 1, costUsd: 0, tokens: 5 }],
] as const)('JOURNAL-11 amounts that cannot be any are not read: %s %o', (type, data, expected) => {
  const event: StoredEvent = { ...pausedOf(EVENT_VERSION), type, data }
  expect(upcast(event)).toStrictEqual({ ...event, data: expected })
})

function pausedOf(v: number): StoredEvent {
  const event = { seq: 1, run: 'r', at: 1, type: 'run.paused', v, by: { role: 'person' }, data: { reason: 'tea' } } as const
  return { ...event, hash: chainHash(GENESIS, event) }
}
