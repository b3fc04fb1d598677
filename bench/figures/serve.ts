import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentProcessIdentity } from '../../src/process/process-identity.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { createClient } from '../../src/surfaces/http/client.ts'
import { serveProject, type Serving } from '../../src/surfaces/http/serve.ts'
import { playedRun } from '../../test/support/view-fixture.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds } from '../wording.ts'

const RUNS = 10_000
const REQUESTS = 60

/** What a list of runs may take at the 95th percentile. */
const ALLOWED_MS = 100

/** The share of 100 ms that the list of 10,000 runs takes at the 95th percentile, from request to answer, filters and search included. */
export const serveList: Figure = {
  name: 'serve-list',
  bound: atMost(1),
  measure: async (say) =>
    withTemporaryFolder(async (folder) => {
      say(`a store with ${RUNS} runs`)
      const { store, serving } = await servedRuns(folder, RUNS)
      try {
        const client = createClient({ url: serving.url, token: serving.devices.token })
        say('the first list, which reads every journal')
        const began = performance.now()
        while ((await client.runs()).unread !== undefined) await sleep(100)
        const firstMs = performance.now() - began
        const times: number[] = []
        for (let index = 0; index < REQUESTS; index++) {
          const query = QUERIES[index % QUERIES.length] ?? {}
          const at = performance.now()
          await client.runs(query)
          times.push(performance.now() - at)
        }
        const sorted = times.toSorted((one, other) => one - other)
        const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0
        const details = [
          `${REQUESTS} lists of ${RUNS} runs, plain, filtered, searched and sorted: median ${milliseconds(sorted[sorted.length >> 1] ?? 0)}, 95th percentile ${milliseconds(p95)}.`,
          `Reading all journals once, after an upgrade, took ${milliseconds(firstMs)} in the background.`,
        ]
        return { status: 'measured', value: p95 / ALLOWED_MS, details }
      } finally {
        await serving.close()
        await store.close()
      }
    }),
}

const QUERIES = [
  {},
  { status: 'completed' },
  { q: 'number 77' },
  { sort: '-cost', limit: 100 },
  { sort: 'run' },
  { status: 'escalated', q: '9' },
]

/** How many pages watch. */
const PAGES = 50

/** How much longer a durable append takes while 50 pages watch its run: the driver's side, in another connection. */
export const serveWatched: Figure = {
  name: 'serve-watched',
  bound: atMost(1.25),
  measure: async (say) =>
    withTemporaryFolder(async (folder) => {
      const { store, serving } = await servedRuns(folder, 20)
      try {
        const client = createClient({ url: serving.url, token: serving.devices.token })
        await client.runs()
        say(`appends, alone and with ${PAGES} pages, in turns`)
        const ratios: number[] = []
        const late: number[] = []
        for (let round = 0; round < 7; round++) {
          const alone = await appendMs(store)
          const ending = new AbortController()
          const pages = Array.from({ length: PAGES }, () => watched(client, ending.signal, late))
          await sleep(300)
          const together = await appendMs(store)
          ending.abort()
          await Promise.all(pages)
          ratios.push(together / alone)
        }
        const sorted = ratios.toSorted((one, other) => one - other)
        const value = sorted[sorted.length >> 1] ?? 0
        const slowest = late.toSorted((one, other) => one - other)
        const details = [
          `Median of ${ratios.length} rounds of 50 durable appends, 10 ms apart; from ${(sorted[0] ?? 0).toFixed(2)} to ${(sorted.at(-1) ?? 0).toFixed(2)}. Pages and driver share this process here.`,
          `An event was on a page after ${milliseconds(slowest[slowest.length >> 1] ?? 0)} (median), ${milliseconds(slowest[Math.floor(slowest.length * 0.99)] ?? 0)} (99th percentile).`,
        ]
        return { status: 'measured', value, details }
      } finally {
        await serving.close()
        await store.close()
      }
    }),
}

async function appendMs(store: Store): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < 50; index++) {
    const at = performance.now()
    await store.append('run-1', [{ type: 'guard.waived', at: Date.now(), by: { role: 'person' }, data: { guard: 'idle' } }])
    times.push(performance.now() - at)
    await sleep(10)
  }
  return times.toSorted((one, other) => one - other)[25] ?? 0
}

async function watched(client: ReturnType<typeof createClient>, signal: AbortSignal, late: number[]): Promise<void> {
  const from = (await client.run('run-1')).seq
  try {
    for await (const each of client.stream('run-1', from, signal))
      if (each.kind === 'journal') late.push(Date.now() - each.event.at)
  } catch {
    // The page was closed.
  }
}

async function servedRuns(folder: string, count: number): Promise<{ readonly store: Store; readonly serving: Serving }> {
  const storePath = join(folder, '.pawl', 'pawl.db')
  const store = sqliteStore({ path: storePath, synchronous: 'NORMAL' })
  const scripts = [{ failing: [3, 1, 0] }, { failing: [3, 2, 2, 2] }] as const
  for (let index = 0; index < count; index++) {
    const run = `run-${index}`
    const script = scripts[index % 7 === 1 ? 1 : 0]
    const events = playedRun({ run, goal: `Make number ${index} so`, failing: [...script.failing] })
    const claim = await store.claim(run, currentProcessIdentity())
    if (claim.status !== 'claimed') throw new Error('the run is free')
    const facts = events.map(({ seq: _seq, run: _run, v: _v, ...fact }) => fact as never)
    await store.append(run, facts, { claim: claim.claim, expectedSeq: 0 })
    await store.release(claim.claim)
  }
  await store.close()
  const serving = await serveProject({
    root: folder,
    configPath: join(folder, 'pawl.yaml'),
    storePath,
    port: 0,
    userFolder: join(folder, 'user'),
  })
  return { store: sqliteStore({ path: storePath }), serving }
}
