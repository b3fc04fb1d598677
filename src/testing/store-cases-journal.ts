import assert from 'node:assert/strict'
import type { Fact } from '../core/event.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { RUN, claimed, drive, iterationStarted, runPaused, storeCase } from './store-case.ts'

/** Appending and reading. */
export const journalCases = [
  storeCase('STORE-1 facts get the next places from 1 on, and are read in that order', async (store) => {
    const claim = await claimed(store)
    await drive(store, claim, 0, iterationStarted(1), iterationStarted(2))
    await drive(store, claim, 2, iterationStarted(3))
    const events = await store.read(RUN)
    assert.deepEqual(
      events.map(({ seq, run, type, data }) => ({ seq, run, type, data })),
      [
        { seq: 1, run: RUN, type: 'iteration.started', data: { iteration: 1 } },
        { seq: 2, run: RUN, type: 'iteration.started', data: { iteration: 2 } },
        { seq: 3, run: RUN, type: 'iteration.started', data: { iteration: 3 } },
      ],
    )
    assert.deepEqual(await store.read(RUN, 2), events.slice(2))
    assert.deepEqual(await store.read(RUN, 3), [])
    assert.deepEqual(await store.read('a run nobody wrote'), [])
  }),

  storeCase('STORE-2 what append gives back is what every reader sees, and its hashes form a chain', async (store, other) => {
    const claim = await claimed(store)
    const first = await drive(store, claim, 0, iterationStarted(1), runPaused('tea'))
    const second = await drive(store, claim, 2, iterationStarted(2))
    assert.deepEqual(await store.read(RUN), [...first, ...second])
    assert.deepEqual(await other.read(RUN), [...first, ...second])
    assert.deepEqual(verifyChain(await other.read(RUN)), { ok: true, seq: 3, hash: second[0]?.hash })
  }),

  storeCase('STORE-3 an append is taken whole or not at all', async (store, other) => {
    const claim = await claimed(store)
    await drive(store, claim, 0, iterationStarted(1))
    const impossible = { ...iterationStarted(3), data: { iteration: 3n } } as unknown as Fact
    await assert.rejects(store.append(RUN, [iterationStarted(2), impossible], { claim, expectedSeq: 1 }))
    assert.equal((await other.read(RUN)).length, 1)
    await drive(store, claim, 1, iterationStarted(2))
  }),

  storeCase(
    'STORE-4 who expects another last place gets a conflict with the true one, and nothing is written',
    async (store, other) => {
      const claim = await claimed(store)
      await drive(store, claim, 0, iterationStarted(1))
      await other.append(RUN, [runPaused('tea')])
      for (const expectedSeq of [0, 1, 3]) {
        const result = await store.append(RUN, [iterationStarted(2)], { claim, expectedSeq })
        assert.deepEqual(result, { status: 'conflict', seq: 2 })
      }
      assert.equal((await store.read(RUN)).length, 2)
      await drive(store, claim, 2, iterationStarted(2))
    },
  ),

  storeCase('STORE-4 of many appends at one place exactly one is taken', async (store, other) => {
    const claim = await claimed(store)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : other).append(RUN, [iterationStarted(index), iterationStarted(index)], {
          claim,
          expectedSeq: 0,
        }),
      ),
    )
    assert.equal(results.filter(({ status }) => status === 'appended').length, 1)
    assert.equal(results.filter(({ status }) => status === 'conflict').length, 19)
    const [first, second] = await store.read(RUN)
    assert.deepEqual(first?.data, second?.data)
  }),

  storeCase('STORE-5 facts by a person are taken from anyone at any time, at whatever place is next', async (store, other) => {
    const claim = await claimed(store)
    let seq = 0
    const people = Array.from({ length: 10 }, (_, index) => other.append(RUN, [runPaused(`reason ${index}`)]))
    for (let iteration = 1; iteration <= 10;) {
      const result = await store.append(RUN, [iterationStarted(iteration)], { claim, expectedSeq: seq })
      if (result.status === 'appended') iteration++
      seq = (await store.read(RUN)).length
    }
    await Promise.all(people)
    const events = await store.read(RUN)
    assert.equal(events.length, 20)
    assert.equal(verifyChain(events).ok, true)
    assert.deepEqual(
      events.filter(({ type }) => type === 'iteration.started').map(({ data }) => data),
      Array.from({ length: 10 }, (_, index) => ({ iteration: index + 1 })),
    )
  }),

  storeCase('STORE-6 without a claim only facts by a person are taken', async (store) => {
    await assert.rejects(store.append(RUN, [runPaused('tea'), iterationStarted(1)]), { code: 'store.not-a-person' })
    assert.deepEqual(await store.read(RUN), [])
  }),

  storeCase('STORE-6 the claim on one run is no claim on another', async (store) => {
    const claim = await claimed(store)
    await assert.rejects(store.append('another', [iterationStarted(1)], { claim, expectedSeq: 0 }), { code: 'store.wrong-claim' })
  }),

  storeCase(
    'STORE-7 any text survives: other scripts, emoji, halves of characters, control characters, very large ones',
    async (store, other) => {
      const texts = [
        'Größe 日本語 🦀👩‍👩‍👧',
        'lone \ud83e half',
        'nul \u0000, bell \u0007, del \u007f',
        '"quotes" \\ and \u2028',
        'x'.repeat(2_000_000),
      ]
      for (const text of texts) await store.append('ünïcode 🦀', [runPaused(text)])
      const events = await other.read('ünïcode 🦀')
      assert.deepEqual(
        events.map(({ data }) => (data as { reason: string }).reason),
        texts,
      )
      assert.equal(verifyChain(events).ok, true)
    },
  ),

  storeCase('STORE-8 runs lists every run that has an event, the one touched last first', async (store, other) => {
    assert.deepEqual(await store.runs(), [])
    const claim = await claimed(store, 'a')
    await claimed(store, 'claimed only')
    await drive(store, claim, 0, iterationStarted(1), iterationStarted(2))
    await other.append('b', [runPaused('tea')])
    assert.deepEqual(await other.runs(), [
      { run: 'b', seq: 1, startedAt: 2_000, updatedAt: 2_000 },
      { run: 'a', seq: 2, startedAt: 1_001, updatedAt: 1_002 },
    ])
  }),

  storeCase('STORE-9 a closed store says so', async (store) => {
    await store.append(RUN, [runPaused('tea')])
    await store.close()
    await assert.rejects(store.read(RUN), { code: 'store.closed' })
    await assert.rejects(store.append(RUN, [runPaused('tea')]), { code: 'store.closed' })
  }),
]
