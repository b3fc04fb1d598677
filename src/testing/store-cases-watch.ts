import assert from 'node:assert/strict'
import type { SealedEvent, Store } from '../stores/store.ts'
import { RUN, claimed, drive, iterationStarted, runPaused, storeCase } from './store-case.ts'

/** Hearing of what is new. */
export const watchCases = [
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
