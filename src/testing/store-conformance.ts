import assert from 'node:assert/strict'
import type { TextRef } from '../core/event-data.ts'
import type { Fact } from '../core/event.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import {
  claimed,
  deadProcess,
  drive,
  iterationStarted,
  LEASE_IS_OVER_MS,
  LEASE_MS,
  type MakeStore,
  RUN,
  runPaused,
  storeCase,
  type StoreCase,
  STRANGER,
} from './store-case.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentProcessIdentity } from '../process/process-identity.ts'
import {
  RUN_SORTS,
  type RunChange,
  type RunPage,
  type RunPosition,
  type RunQuery,
  type RunSummary,
  type SealedEvent,
  type Store,
} from '../stores/store.ts'
import { hash } from 'node:crypto'
import { plantedSecrets } from './planted-secrets.ts'
import { adoptCases, queueCases } from './store-sharing-cases.ts'

/** Appending and reading. */
const journalCases = [
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

  storeCase('STORE-236 of many people who expect the same last place exactly one is heard', async (store, other) => {
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? store : other).append(RUN, [runPaused(`reason ${index}`)], { expectedSeq: 0 }),
      ),
    )
    assert.equal(results.filter(({ status }) => status === 'appended').length, 1)
    assert.deepEqual(
      results.find(({ status }) => status !== 'appended'),
      { status: 'conflict', seq: 1 },
    )
    assert.equal((await store.read(RUN)).length, 1)
  }),

  storeCase('STORE-6 without a claim only facts by a person are taken', async (store) => {
    await assert.rejects(store.append(RUN, [runPaused('tea'), iterationStarted(1)]), { code: 'store.not-a-person' })
    const guessed = store.append(RUN, [iterationStarted(1)], { expectedSeq: 0 })
    await assert.rejects(guessed, { code: 'store.not-a-person' })
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

/** Who may write. */
const claimCases = [
  storeCase('STORE-10 a run that is held is refused, with who holds it and since when', async (store, other) => {
    const holder = currentProcessIdentity()
    const before = Date.now()
    await claimed(store)
    const result = await other.claim(RUN, STRANGER)
    assert.deepEqual(result, { status: 'held', holder, since: 'since' in result ? result.since : undefined })
    assert.ok('since' in result && result.since >= before && result.since <= Date.now())
    assert.equal((await other.claim('another run', STRANGER)).status, 'claimed')
  }),

  storeCase('STORE-10 two drivers in one process cannot both hold a run', async (store, other) => {
    await claimed(store)
    assert.equal((await store.claim(RUN, currentProcessIdentity())).status, 'held')
    assert.equal((await other.claim(RUN, currentProcessIdentity())).status, 'held')
  }),

  storeCase(
    'STORE-11 a released run is free at once, under a later epoch, and its former holder can no longer write',
    async (store, other) => {
      const first = await claimed(store)
      await drive(store, first, 0, iterationStarted(1))
      await store.release(first)
      assert.deepEqual(await store.append(RUN, [iterationStarted(2)], { claim: first, expectedSeq: 1 }), {
        status: 'fenced',
        holder: undefined,
      })
      assert.equal(await store.renew(first), false)
      const result = await other.claim(RUN, STRANGER)
      assert.ok(result.status === 'claimed' && result.claim.epoch > first.epoch)
      assert.equal(result.takenOverFrom, undefined)
    },
  ),

  storeCase('STORE-12 the claim of a dead process is taken over at once', async (store, other) => {
    const dead = await deadProcess()
    const first = await claimed(store, RUN, dead)
    const result = await other.claim(RUN, STRANGER)
    assert.ok(result.status === 'claimed' && result.claim.epoch > first.epoch)
    assert.deepEqual(result.takenOverFrom, dead)
  }),

  storeCase(
    'STORE-13 a holder that lives, or cannot be seen, keeps its claim for the lease after its last renewal, no longer',
    async (store, other) => {
      for (const holder of [currentProcessIdentity(), STRANGER]) {
        const run = holder.host
        const claim = await claimed(store, run, holder)
        await sleep(LEASE_IS_OVER_MS)
        assert.equal(await store.renew(claim), true)
        assert.equal((await other.claim(run, STRANGER)).status, 'held')
        await sleep(LEASE_IS_OVER_MS)
        const result = await other.claim(run, STRANGER)
        assert.ok(result.status === 'claimed')
        assert.deepEqual(result.takenOverFrom, holder)
        assert.equal(await store.renew(claim), false)
      }
    },
    LEASE_MS,
  ),

  storeCase('STORE-14 a suspended holder that wakes up cannot write, and hears who holds the run now', async (store, other) => {
    const dead = await deadProcess()
    const old = await claimed(store, RUN, dead)
    await drive(store, old, 0, iterationStarted(1))
    const now = await claimed(other, RUN, STRANGER)
    const result = await store.append(RUN, [iterationStarted(2)], { claim: old, expectedSeq: 1 })
    assert.deepEqual(result, { status: 'fenced', holder: STRANGER })
    assert.equal((await store.read(RUN)).length, 1)
    await drive(other, now, 1, iterationStarted(2))
    // Releasing an old claim must not take the run from its current holder.
    await store.release(old)
    await drive(other, now, 2, iterationStarted(3))
  }),

  storeCase('STORE-14 an epoch that was never given is refused', async (store) => {
    const nobody = { run: RUN, epoch: 1 }
    assert.deepEqual(await store.append(RUN, [iterationStarted(1)], { claim: nobody, expectedSeq: 0 }), {
      status: 'fenced',
      holder: undefined,
    })
    const claim = await claimed(store)
    const later = await store.append(RUN, [iterationStarted(1)], { claim: { run: RUN, epoch: claim.epoch + 1 }, expectedSeq: 0 })
    assert.equal(later.status, 'fenced')
  }),

  storeCase('STORE-14 being fenced comes before a conflict; a person is never fenced', async (store, other) => {
    const old = await claimed(store)
    await store.release(old)
    await claimed(other, RUN, STRANGER)
    assert.equal((await store.append(RUN, [iterationStarted(1)], { claim: old, expectedSeq: 99 })).status, 'fenced')
    assert.equal((await store.append(RUN, [runPaused('tea')])).status, 'appended')
  }),

  storeCase('STORE-235 a store says who holds a run, and only looks', async (store, other) => {
    assert.equal(await other.holder(RUN), undefined)
    assert.deepEqual(await other.runs(), [])
    const claim = await claimed(store)
    assert.deepEqual(await other.holder(RUN), currentProcessIdentity())
    assert.deepEqual(await other.holder(RUN, 'last'), currentProcessIdentity())
    assert.equal(await other.holder('another run'), undefined)
    await drive(store, claim, 0, iterationStarted(1))
    await store.release(claim)
    assert.equal(await other.holder(RUN), undefined)
    assert.equal(await other.holder(RUN, 'last'), undefined)
  }),

  storeCase('STORE-235 a dead process holds nothing, but can be named until the run is claimed again', async (store, other) => {
    const dead = await deadProcess()
    await claimed(store, RUN, dead)
    assert.equal(await other.holder(RUN), undefined)
    assert.deepEqual(await other.holder(RUN, 'last'), dead)
    await claimed(other, RUN, STRANGER)
    assert.deepEqual(await store.holder(RUN, 'last'), STRANGER)
  }),

  storeCase(
    'STORE-235 a holder on another machine holds the run until its lease is over',
    async (store, other) => {
      await claimed(store, RUN, STRANGER)
      assert.deepEqual(await other.holder(RUN), STRANGER)
      await sleep(LEASE_IS_OVER_MS)
      assert.equal(await other.holder(RUN), undefined)
      assert.deepEqual(await other.holder(RUN, 'last'), STRANGER)
    },
    LEASE_MS,
  ),

  storeCase('STORE-15 of many who claim a free run at once exactly one gets it', async (store, other) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).claim(RUN, currentProcessIdentity())),
    )
    assert.equal(results.filter(({ status }) => status === 'claimed').length, 1)
  }),
]

/** Watching for new events. */
const watchCases = [
  storeCase(
    'STORE-16 a watcher gets what is there, then what comes, from its own store and from others, once and in order',
    async (store, other) => {
      const claim = await claimed(store)
      await drive(store, claim, 0, iterationStarted(1), iterationStarted(2))
      const ending = new AbortController()
      const watching = collect(other, 1, ending, 6)
      await drive(store, claim, 2, iterationStarted(3), iterationStarted(4))
      await other.append(RUN, [runPaused('tea')])
      await other.append('another run', [runPaused('tea')])
      await drive(store, claim, 5, iterationStarted(5), iterationStarted(6))
      const seen = await watching
      assert.deepEqual(seen, (await store.read(RUN)).slice(1))
    },
  ),

  storeCase('STORE-16 a watcher may come before the run', async (store, other) => {
    const watching = collect(store, 0, new AbortController(), 1)
    await other.append(RUN, [runPaused('tea')])
    assert.deepEqual(await watching, await store.read(RUN))
  }),

  storeCase(
    'STORE-17 watching ends when the signal is aborted, before or during the wait, and when the store is closed',
    async (store, other) => {
      assert.deepEqual(await collect(store, 0, aborted(), 1), [])
      const ending = new AbortController()
      const waiting = collect(store, 0, ending, 1)
      const closing = collect(other, 0, new AbortController(), 1)
      await store.append('another run', [runPaused('tea')])
      ending.abort()
      assert.deepEqual(await waiting, [])
      await other.close()
      assert.deepEqual(await closing, [])
    },
  ),
]

/** Watches until `count` events were seen. */
async function collect(store: Store, after: number, ending: AbortController, count: number): Promise<SealedEvent[]> {
  const seen: SealedEvent[] = []
  for await (const events of store.watch(RUN, after, ending.signal)) {
    assert.ok(events.length > 0)
    seen.push(...events)
    if (seen.length >= count) ending.abort()
  }
  return seen
}

function aborted(): AbortController {
  const ending = new AbortController()
  ending.abort()
  return ending
}

/** Texts, snapshots and secrets. */
const keepingCases = [
  storeCase(
    'STORE-18 a text is found again by the hash of its content, from every store once an event is appended',
    async (store, other) => {
      for (const text of ['', 'short', 'Größe 🦀\r\n\u0000', 'a line like any other\n'.repeat(50_000), randomText()]) {
        const ref = await store.putText({ text, bytesCut: 0 })
        assert.deepEqual(ref, { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) })
        assert.equal(await store.getText(ref), text)
        await store.append(RUN, [runPaused('later')])
        assert.equal(await other.getText(ref), text)
      }
      assert.equal(await store.getText({ sha256: 'f'.repeat(64), bytes: 3 }), undefined)
    },
  ),

  storeCase('STORE-18 the same text is kept once, and its reference says how much was cut this time', async (store, other) => {
    const whole = await store.putText({ text: 'the same', bytesCut: 0 })
    const cut = await other.putText({ text: 'the same', bytesCut: 17 })
    await other.append(RUN, [runPaused('later')])
    await store.append(RUN, [runPaused('later')])
    assert.deepEqual(cut, { ...whole, bytesCut: 17 })
    assert.equal(await store.getText(cut), 'the same')
  }),

  storeCase(
    'STORE-230 a dropped text is gone from every store; others stay, and what is kept later is found',
    async (store, other) => {
      const keep = async (text: string) => {
        const ref = await store.putText({ text, bytesCut: 0 })
        await store.append(RUN, [runPaused('later')])
        return ref
      }
      const stays = await keep('stays')
      const many = []
      for (let index = 0; index < 260; index++) many.push(await keep(`text ${index}`))
      const goes = await keep('goes')
      // The newest, so that their rows are free again.
      for (const ref of [...many.slice(-10), goes]) await other.dropText(ref)
      await other.dropText(goes)
      for (const ref of [many.at(-1) ?? goes, goes]) assert.equal(await store.getText(ref), undefined)
      assert.equal(await store.getText(stays), 'stays')
      const later = await keep('another')
      assert.equal(await other.getText(later), 'another')
      assert.equal(await other.getText(await keep('goes')), 'goes')
      assert.equal(await other.getText(stays), 'stays')
    },
  ),

  storeCase(
    'STORE-231 a text that is dropped before it was written, or kept again after that, is as if never kept',
    async (store) => {
      const ref = await store.putText({ text: 'not yet written', bytesCut: 0 })
      await store.dropText(ref)
      assert.equal(await store.getText(ref), undefined)
      await store.append(RUN, [runPaused('later')])
      assert.equal(await store.getText(ref), undefined)
      assert.equal(await store.getText(await store.putText({ text: 'not yet written', bytesCut: 0 })), 'not yet written')
    },
  ),

  storeCase(
    'KEEP-1 a removed run is gone with what only it held, the others are as before, and nobody else may',
    async (store, other) => {
      const claims = []
      for (const [run, own] of [
        [RUN, 'of the first'],
        ['second', 'of the second'],
      ] as const) {
        const claim = await claimed(store, run)
        const refs = [
          await store.putText({ text: own.repeat(9), bytesCut: 0 }),
          await store.putText({ text: 'of both', bytesCut: 0 }),
        ]
        await store.append(run, [runPaused(refs.map(({ sha256 }) => sha256).join(' '))], { claim, expectedSeq: 0 })
        claims.push({ claim, refs })
      }
      const [first, second] = claims
      if (!first || !second) throw new Error('two runs were made')
      const sizes = await other.sizes()
      assert.deepEqual(
        sizes.runs.map(({ run, events, textBytes }) => [run, events, textBytes]).toSorted(),
        [
          [RUN, 1, 9 * 12],
          ['second', 1, 9 * 13],
        ].toSorted(),
      )
      assert.equal(sizes.sharedTextBytes, 'of both'.length)
      assert.equal(await store.remove({ ...first.claim, epoch: first.claim.epoch - 1 }), false)
      assert.equal(await store.remove(first.claim), true)
      assert.equal(await store.remove(first.claim), false)
      assert.equal((await store.append(RUN, [runPaused('late')], { claim: first.claim, expectedSeq: 1 })).status, 'fenced')
      assert.deepEqual(
        (await other.runs()).map(({ run }) => run),
        ['second'],
      )
      assert.deepEqual(await other.read(RUN), [])
      assert.equal(await other.compact(), undefined)
      await store.release(second.claim)
      assert.notEqual(await other.compact(), undefined)
      assert.equal(await other.getText(first.refs[0] as TextRef), undefined)
      for (const ref of second.refs) assert.notEqual(await other.getText(ref), undefined)
      assert.equal((await other.read('second')).length, 1)
    },
  ),

  storeCase('STORE-19 the last snapshot of a run is given back; a run without one has none', async (store, other) => {
    const snapshot = {
      seq: 4,
      hash: 'a'.repeat(64),
      version: 1,
      state: { iteration: 2, notes: ['ü', null], nested: { score: 0.5 } },
    }
    assert.equal(await store.getSnapshot(RUN), undefined)
    await store.putSnapshot(RUN, snapshot)
    await other.putSnapshot('another run', { ...snapshot, seq: 1 })
    assert.deepEqual(await other.getSnapshot(RUN), snapshot)
    await other.putSnapshot(RUN, { ...snapshot, seq: 5, version: 2 })
    assert.deepEqual(await store.getSnapshot(RUN), { ...snapshot, seq: 5, version: 2 })
    assert.deepEqual(await store.read(RUN), [])
  }),

  ...plantedSecrets().map(({ name, text, secret }) =>
    storeCase(`SECRET-12 no store keeps a secret (${name}) in an event, a text or a snapshot`, async (store, other) => {
      const told = { ...runPaused(`see\n${text}\nthere`), by: { role: 'person', name: text } } as Fact
      const ref = await store.putText({ text: `first\n${text}\nlast`, bytesCut: 0 })
      const result = await store.append(RUN, [told])
      await store.putSnapshot(RUN, { seq: 1, hash: 'h', version: 1, state: { notes: [text] } })
      const kept = JSON.stringify([result, await other.read(RUN), await other.getText(ref), await other.getSnapshot(RUN)])
      assert.ok(!kept.includes(JSON.stringify(secret).slice(1, -1)))
      assert.match((await other.getText(ref)) ?? '', /^first\n.*\[redacted: .*\].*\nlast$/)
      assert.equal(ref.sha256, hash('sha256', (await other.getText(ref)) ?? ''))
    }),
  ),
]

/** Can't be compressed. */
function randomText(): string {
  let text = ''
  for (let index = 0; index < 200; index++) text += hash('sha256', String(index))
  return text
}

/** Lists of runs, and what changes in them. */
const listCases = [
  storeCase(
    'STORE-300 whoever watches the runs gets all, then those that change, from any store, and those that are removed',
    async (store, other) => {
      const none = new AbortController()
      for await (const changed of other.watchRuns(none.signal)) {
        assert.deepEqual(changed, [])
        none.abort()
      }
      await store.append('first', [runPaused('tea')])
      const ending = new AbortController()
      const seen: RunChange[][] = []
      const watching = (async () => {
        for await (const changed of other.watchRuns(ending.signal)) {
          seen.push([...changed])
          if (seen.flat().some(({ seq }) => seq === 0)) ending.abort()
          else if (seen.length === 1) await store.append('second', [runPaused('tea'), runPaused('cake')])
          else if (seen.length === 2) await other.append('first', [runPaused('cake')])
          else if (seen.length === 3) await store.remove(await claimed(store, 'first'))
        }
      })()
      await watching
      assert.deepEqual(seen, [
        [{ run: 'first', seq: 1 }],
        [{ run: 'second', seq: 2 }],
        [{ run: 'first', seq: 2 }],
        [{ run: 'first', seq: 0 }],
      ])
    },
  ),

  storeCase('STORE-304 events can be read some at a time', async (store, other) => {
    await store.append(RUN, [runPaused('one'), runPaused('two'), runPaused('three')])
    const seqs = async (after: number, limit: number) => (await other.read(RUN, after, limit)).map(({ seq }) => seq)
    assert.deepEqual([await seqs(0, 2), await seqs(2, 2), await seqs(3, 2)], [[1, 2], [3], []])
    assert.equal((await other.readStored(RUN, 1, 1)).at(0)?.seq, 2)
  }),

  storeCase(
    'STORE-301 a run is stale without a summary, with one of an older event, and with one of another version',
    async (store, other) => {
      await store.append(RUN, [runPaused('tea')])
      assert.deepEqual(await other.staleRuns(1), [{ run: RUN, seq: 1 }])
      await other.putSummaries([summary(RUN, 1), summary('unknown', 1)])
      assert.deepEqual(await store.staleRuns(1), [])
      assert.deepEqual(await store.staleRuns(2), [{ run: RUN, seq: 1 }])
      assert.equal((await store.findRuns({ limit: 9 })).total, 1)
      await store.append(RUN, [runPaused('cake')])
      assert.deepEqual(await other.staleRuns(1), [{ run: RUN, seq: 2 }])
      assert.deepEqual((await other.findRuns({ limit: 9 })).items, [summary(RUN, 1)])
      await store.remove(await claimed(store))
      assert.deepEqual(await other.findRuns({ limit: 9 }), { items: [], total: 0, waiting: 0 })
    },
  ),

  storeCase(
    'STORE-302 runs are found by status, loop, agent and words; those that wait come first, then in the order asked for',
    async (store, other) => {
      const kept = [
        summary('a', 1, { updatedAt: 5, costUsd: 2, status: 'completed', text: 'a fix the login' }),
        summary('b', 1, { updatedAt: 4, loop: 'ralph', agent: 'codex', iterations: 9, text: "b größe 100%_it's" }),
        summary('c', 1, { updatedAt: 3, isWaiting: true, status: 'escalated' }),
        summary('d', 1, { updatedAt: 5, costUsd: 0.5, status: 'stopped', startedAt: 9 }),
      ]
      for (const { run } of kept) await store.append(run, [runPaused('tea')])
      await store.putSummaries(kept)
      const found = async (query: Partial<RunQuery>) =>
        (await other.findRuns({ limit: 9, ...query })).items.map(({ run }) => run).join('')
      assert.equal(await found({}), 'cadb')
      assert.equal(await found({ isAscending: true }), 'cbad')
      assert.equal(await found({ sort: 'cost' }), 'cadb')
      assert.equal(await found({ sort: 'iterations' }), 'cbad')
      assert.equal(await found({ sort: 'started' }), 'cdab')
      assert.equal(await found({ sort: 'run', isAscending: true }), 'cabd')
      assert.equal(await found({ status: ['completed', 'stopped'] }), 'ad')
      assert.equal(await found({ loop: 'ralph' }), 'b')
      assert.equal(await found({ agent: 'codex', loop: 'task' }), '')
      assert.equal(await found({ search: 'LOGIN' }), 'a')
      assert.equal(await found({ search: '%' }), 'b')
      assert.equal(await found({ search: "_IT'S" }), 'b')
      assert.equal(await found({ search: 'GRÖSSE' }), '')
      assert.equal(await found({ search: 'GRÖẞE'.replace('ẞ', 'ß') }), 'b')
      const { total, waiting } = await other.findRuns({ limit: 1, status: ['completed'] })
      assert.deepEqual({ total, waiting }, { total: 1, waiting: 1 })
    },
  ),

  storeCase(
    'STORE-303 pages together have every run once, in the order of one large page, whatever it is sorted by',
    async (store) => {
      const kept = Array.from({ length: 23 }, (_, index) =>
        summary(`run-${index}`, 1, {
          updatedAt: index % 3,
          iterations: index % 2,
          isWaiting: index % 5 === 0,
          ...(index % 4 === 0 ? {} : { costUsd: index % 4 }),
        }),
      )
      for (const { run } of kept) await store.append(run, [runPaused('tea')])
      await store.putSummaries(kept)
      for (const sort of RUN_SORTS)
        for (const isAscending of [false, true]) {
          const whole = await store.findRuns({ sort, isAscending, limit: 100 })
          const paged: RunSummary[] = []
          let after: RunPosition | undefined
          do {
            const page: RunPage = await store.findRuns({ sort, isAscending, limit: 4, ...(after ? { after } : {}) })
            paged.push(...page.items)
            assert.equal(page.total, 23)
            after = page.next
          } while (after)
          assert.deepEqual(paged, whole.items)
        }
    },
  ),
]

function summary(run: string, seq: number, more: Partial<RunSummary> = {}): RunSummary {
  const figures = { startedAt: 1, updatedAt: 2, iterations: 0, row: { run, nested: ['ü', null] } }
  return {
    run,
    seq,
    version: 1,
    status: 'running',
    isWaiting: false,
    loop: 'task',
    agent: 'claude',
    text: run,
    ...figures,
    ...more,
  }
}

/** Every statement of the store's contract, as cases for any test runner. */
const storeCases: readonly StoreCase[] = [
  ...journalCases,
  ...claimCases,
  ...watchCases,
  ...keepingCases,
  ...listCases,
  ...queueCases,
  ...adoptCases,
]

/** The cases for one store: `for (const { name, run } of storeConformance('mine', makeMine)) test(name, run)`. */
export function storeConformance(
  name: string,
  makeStore: MakeStore,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return storeCases.map((each) => ({ name: `${each.name} (${name})`, run: () => each.run(makeStore) }))
}
