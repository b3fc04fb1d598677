import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { RUN, STRANGER, claimed, deadProcess, drive, iterationStarted, runPaused, storeCase } from './store-case.ts'

const LEASE_MS = 300
const LEASE_IS_OVER_MS = 400

/** Who may drive. */
export const claimCases = [
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
    // Releasing an old claim must not take the run from its present holder.
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
