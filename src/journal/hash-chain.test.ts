import { expect, test } from 'vitest'
import type { Fact, StoredEvent } from '../core/event.ts'
import { GENESIS, chainHash, verifyChain } from './hash-chain.ts'
import { appendedEvents, prepareFacts, seal } from './seal.ts'

test('JOURNAL-3 a journal as it was written verifies, and says where it ends', async () => {
  const events = await journal(5)
  expect(verifyChain(events)).toEqual({ ok: true, seq: 5, hash: events[4]?.hash })
  expect(verifyChain([])).toEqual({ ok: true, seq: 0, hash: GENESIS })
})

test('JOURNAL-3 the first event hangs on GENESIS, every other on the hash before it', async () => {
  const [first, second] = await journal(2)
  expect(first?.hash).toBe(chainHash(GENESIS, first as StoredEvent))
  expect(second?.hash).toBe(chainHash(first?.hash ?? '', second as StoredEvent))
})

test.each(['seq', 'run', 'at', 'type', 'v', 'by', 'because', 'data', 'hash', 'added'] as const)(
  'JOURNAL-4 a changed %s is found at its place',
  async (field) => {
    const events = await journal(5)
    const changed = { by: { role: 'guard' }, data: { iteration: 99 }, seq: 30, run: 'other', hash: GENESIS }
    events[2] = { ...(events[2] as StoredEvent), [field]: changed[field as keyof typeof changed] ?? 7 }
    expect(verifyChain(events)).toMatchObject({ ok: false, seq: 3 })
  },
)

test('JOURNAL-12 a whole journal of another run than the one asked for is found', async () => {
  const events = await journal(2)
  const run = events[0]?.run as string
  expect(verifyChain(events, run)).toMatchObject({ ok: true, seq: 2 })
  expect(verifyChain(events, 'another')).toEqual({
    ok: false,
    seq: 1,
    message: `Event 1 belongs to the run "${run}", not to "another".`,
  })
})

test('JOURNAL-5 a missing event, two that changed places and a duplicated one are distinguished', async () => {
  const [one, two, three, four] = (await journal(4)) as [StoredEvent, StoredEvent, StoredEvent, StoredEvent]
  expect(verifyChain([one, three, four])).toEqual({
    ok: false,
    seq: 2,
    message: 'Event 2 is missing: event 3 follows event 1.',
  })
  expect(verifyChain([four])).toMatchObject({ seq: 1, message: 'Events 1 to 3 are missing: event 4 follows event 0.' })
  expect(verifyChain([one, two, two, three])).toMatchObject({ seq: 3, message: expect.stringContaining('out of order') })
  expect(verifyChain([two, one])).toMatchObject({ ok: false, seq: 1, message: expect.stringContaining('missing') })
})

test('JOURNAL-5 an event of another run does not pass for one of this', async () => {
  const ours = await journal(3)
  const theirs = await journal(3, 'other')
  expect(verifyChain([ours[0], theirs[1]] as StoredEvent[])).toMatchObject({ ok: false, seq: 2 })
})

async function journal(count: number, run = 'fix-login'): Promise<StoredEvent[]> {
  const facts = Array.from({ length: count }, (_, index): Fact => {
    return { type: 'iteration.started', at: 1000 + index, by: { role: 'loop' }, because: index, data: { iteration: index + 1 } }
  })
  return [...appendedEvents(seal(await prepareFacts(run, facts), 0, GENESIS)).events]
}
