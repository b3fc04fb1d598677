import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyChain } from '../journal/hash-chain.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import type { Claim, QueuedRun, QueueWorker, Store } from '../stores/store.ts'
import {
  claimed,
  deadProcess,
  drive,
  iterationStarted,
  LEASE_IS_OVER_MS,
  LEASE_MS,
  runPaused,
  storeCase,
  type StoreCase,
  STRANGER,
} from './store-case.ts'

function queued(run: string, more: Partial<QueuedRun> = {}): QueuedRun {
  return { run, project: 'shop', repository: 'shop.git', labels: [], priority: 0, dueAt: 1, eventVersion: 1, ...more }
}

const WORKER: QueueWorker = { holder: currentProcessIdentity(), labels: [], eventVersion: 1 }

/** Takes runs until there is no more, and keeps all of them. */
async function takeAll(store: Store, worker: Partial<QueueWorker> = {}): Promise<readonly string[]> {
  const next = await store.queue.take({ ...WORKER, ...worker })
  return next ? [next.claim.run, ...(await takeAll(store, worker))] : []
}

async function taken(store: Store): Promise<Claim> {
  const result = await store.queue.take(WORKER)
  assert.ok(result)
  return result.claim
}

/** The queue that workers take runs from. */
export const queueCases: readonly StoreCase[] = [
  storeCase('STORE-310 a queued run is taken once, with a claim that may write, and stays listed', async (store, other) => {
    await store.queue.put(queued('a', { repositoryRunsMax: 3, labels: ['linux', 'größe'], priority: -2 }))
    const result = await other.queue.take({ ...WORKER, labels: ['größe', 'gpu', 'linux'], eventVersion: 2 })
    assert.ok(result)
    const entry = queued('a', { repositoryRunsMax: 3, labels: ['linux', 'größe'], priority: -2, eventVersion: 2 })
    assert.deepEqual(result.entry, entry)
    assert.deepEqual(await store.queue.list(), [entry])
    assert.deepEqual(await store.holder('a'), WORKER.holder)
    assert.equal(await store.queue.take({ ...WORKER, labels: ['größe', 'linux'] }), undefined)
    await drive(other, result.claim, 0, iterationStarted(1))
    assert.equal((await store.claim('a', STRANGER)).status, 'held')
  }),

  storeCase('STORE-310 of many who take at once every run is taken by exactly one', async (store, other) => {
    for (let index = 0; index < 12; index++) await store.queue.put(queued(`run-${index}`))
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).queue.take(WORKER)),
    )
    const runs = results.flatMap((each) => each?.claim.run ?? [])
    assert.equal(runs.length, 12)
    assert.equal(new Set(runs).size, 12)
  }),

  storeCase('STORE-311 a run that somebody drives outside of the queue is left to them', async (store, other) => {
    await store.queue.put(queued('a'))
    const claim = await claimed(other, 'a')
    assert.equal(await store.queue.take(WORKER), undefined)
    await other.release(claim)
    assert.equal((await taken(store)).epoch, claim.epoch + 1)
  }),

  storeCase(
    'STORE-311 the runs of a dead worker, and of one that stopped renewing, are taken again; the former can no longer put them back',
    async (store, other) => {
      const dead = await deadProcess()
      for (const run of ['a', 'b']) await store.queue.put(queued(run))
      const first = await store.queue.take({ ...WORKER, holder: STRANGER })
      const second = await store.queue.take({ ...WORKER, holder: dead })
      await sleep(LEASE_IS_OVER_MS)
      const again = [await other.queue.take(WORKER), await other.queue.take(WORKER)]
      assert.deepEqual(
        again.map((each) => [each?.claim.run, each?.claim.epoch, each?.takenOverFrom]),
        [
          ['a', 2, STRANGER],
          ['b', 2, dead],
        ],
      )
      assert.ok(first && second)
      assert.equal(await store.queue.putBack(first.claim, { seq: 0 }), false)
      assert.equal(await store.queue.remove(second.claim), false)
      assert.deepEqual(await store.queue.list(), [queued('a'), queued('b')])
      assert.deepEqual(await store.holder('b'), WORKER.holder)
    },
    LEASE_MS,
  ),

  storeCase('STORE-312 a higher priority goes first; then projects take turns; then what is due longest', async (store) => {
    for (const [run, project, priority, dueAt] of [
      ['a2', 'a', 0, 2],
      ['a1', 'a', 0, 1],
      ['a3', 'a', 0, 3],
      ['b1', 'b', 0, 4],
      ['c1', 'c', 9, 5],
      ['b2', 'b', 0, 6],
    ] as const)
      await store.queue.put(queued(run, { project, priority, dueAt }))
    assert.deepEqual(await takeAll(store), ['c1', 'a1', 'b1', 'a2', 'b2', 'a3'])
  }),

  storeCase('STORE-312 projects take turns too if only one run is driven at a time', async (store) => {
    for (const run of ['a1', 'a2', 'a3']) await store.queue.put(queued(run, { project: 'a' }))
    for (const run of ['b1', 'b2']) await store.queue.put(queued(run, { project: 'b', dueAt: 2 }))
    const order: string[] = []
    for (let count = 0; count < 5; count++) {
      const claim = await taken(store)
      order.push(claim.run)
      assert.equal(await store.queue.remove(claim), true)
    }
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3'])
    assert.deepEqual(await store.queue.list(), [])
  }),

  storeCase(
    'STORE-313 no more runs of a repository are driven at once than a run allows, whatever their projects',
    async (store, other) => {
      for (let index = 0; index < 5; index++)
        await store.queue.put(queued(`r${index}`, { project: `p${index}`, repositoryRunsMax: 2 }))
      await store.queue.put(queued('free'))
      await store.queue.put(queued('elsewhere', { repository: 'other.git', repositoryRunsMax: 1 }))
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? store : other).queue.take(WORKER)),
      )
      const runs = results.flatMap((each) => each?.claim.run ?? [])
      // The unlimited run counts for the others but isn't held up by them.
      assert.ok(runs.filter((run) => run.startsWith('r')).length <= 2)
      assert.ok(runs.includes('free') && runs.includes('elsewhere'))
      const first = results.find((each) => each?.claim.run.startsWith('r'))
      assert.ok(first)
      await store.queue.remove(first.claim)
      const free = results.find((each) => each?.claim.run === 'free')
      assert.ok(free)
      await store.queue.remove(free.claim)
      assert.ok((await takeAll(store)).length >= 1)
    },
  ),

  storeCase('STORE-314 a worker takes only runs whose labels and events it knows', async (store) => {
    await store.queue.put(queued('plain'))
    await store.queue.put(queued('gpu', { labels: ['gpu'] }))
    await store.queue.put(queued('both', { labels: ['gpu', 'linux'] }))
    await store.queue.put(queued('newer', { eventVersion: 2 }))
    assert.deepEqual(await takeAll(store), ['plain'])
    assert.deepEqual(await takeAll(store, { labels: ['gpu', 'gpu'] }), ['gpu'])
    assert.deepEqual(await takeAll(store, { labels: ['linux', 'gpu'], eventVersion: 2 }), ['both', 'newer'])
  }),

  storeCase('STORE-315 a run is put back until it is due, and its claim is released', async (store, other) => {
    await store.queue.put(queued('a', { dueAt: Date.now() + 600_000 }))
    assert.equal(await store.queue.take(WORKER), undefined)
    await store.queue.put(queued('a'))
    const first = await taken(store)
    assert.equal(await store.queue.putBack(first, { seq: 0, dueAt: Date.now() + 300 }), true)
    assert.equal(await other.holder('a'), undefined)
    assert.equal(await store.renew(first), false)
    assert.equal(await other.queue.take(WORKER), undefined)
    await sleep(LEASE_IS_OVER_MS)
    assert.equal((await taken(other)).epoch, 2)
  }),

  storeCase(
    'STORE-316 what a person appends makes a queued run due, and never one that is not in the queue',
    async (store, other) => {
      await store.queue.put(queued('a'))
      await store.queue.put(queued('b', { dueAt: Date.now() + 600_000 }))
      const first = await taken(store)
      await store.queue.putBack(first, { seq: 0 })
      assert.deepEqual(
        (await store.queue.list()).map(({ run, dueAt }) => [run, dueAt === undefined]),
        [
          ['a', true],
          ['b', false],
        ],
      )
      assert.equal(await other.queue.take(WORKER), undefined)
      for (const run of ['a', 'b', 'c']) await other.append(run, [runPaused('tea')])
      assert.deepEqual((await takeAll(store)).toSorted(), ['a', 'b'])
    },
  ),

  storeCase('STORE-316 an answer given while the run is being put back is not missed', async (store, other) => {
    await store.queue.put(queued('a'))
    const claim = await taken(store)
    await drive(store, claim, 0, iterationStarted(1))
    await other.append('a', [runPaused('tea')])
    await store.queue.putBack(claim, { seq: 1 })
    const again = await taken(other)
    await other.queue.putBack(again, { seq: 2 })
    assert.equal(await store.queue.take(WORKER), undefined)
  }),

  storeCase('STORE-317 a run that is removed is in the queue no more', async (store) => {
    await store.queue.put(queued('a'))
    await store.append('a', [runPaused('tea')])
    await store.remove(await taken(store))
    assert.deepEqual(await store.queue.list(), [])
    assert.equal(await store.queue.take(WORKER), undefined)
  }),
]

/** Taking in what another store has. */
export const adoptCases: readonly StoreCase[] = [
  storeCase(
    'STORE-320 a journal of another store is taken in whole, with its hashes, and only where there is none',
    async (store, other) => {
      const claim = await claimed(store, 'original')
      await drive(store, claim, 0, iterationStarted(1), runPaused('tea'))
      await store.append('original', [runPaused('cake')])
      const journal = (await store.readStored('original')).map((event) => ({ ...event }))
      await store.remove(claim)
      const damaged = journal.map((event, index) => (index === 1 ? { ...event, at: 1 } : event))
      const again = await claimed(other, 'original')
      await assert.rejects(other.adopt(again, damaged), { code: 'journal.damaged' })
      await assert.rejects(other.adopt({ ...again, run: 'another' }, journal), { code: 'journal.damaged' })
      assert.deepEqual(await store.read('original'), [])
      assert.equal((await other.adopt({ ...again, epoch: again.epoch + 1 }, journal)).status, 'fenced')
      assert.equal((await other.adopt(again, journal)).status, 'appended')
      assert.deepEqual(await store.readStored('original'), journal)
      assert.deepEqual(await store.adopt(again, journal), { status: 'conflict', seq: 3 })
      await drive(store, again, 3, iterationStarted(2))
      assert.deepEqual(
        (await other.runs()).map(({ run, seq }) => [run, seq]),
        [['original', 4]],
      )
      assert.equal(verifyChain(await other.readStored('original')).ok, true)
    },
  ),
]
