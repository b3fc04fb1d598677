import assert from 'node:assert/strict'
import { verifyChain } from '../journal/hash-chain.ts'
import { claimed, drive, iterationStarted, runPaused, storeCase, type StoreCase } from './store-case.ts'

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
