import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { DriveOptions } from '../src/engine/parts.ts'
import { benchmarkLoop, RUN } from './benchmark-loop.ts'

/** Drives a new run of so many iterations in a new file, and says how many milliseconds the driving took: not opening, not closing. */
export async function timedRun(path: string, iterations: number, options: DriveOptions = {}): Promise<number> {
  const store = sqliteStore({ path, synchronous: 'NORMAL' })
  try {
    await store.runs()
    const loop = benchmarkLoop({ store, iterationsMax: iterations })
    const startedAt = performance.now()
    const outcome = await loop.run(RUN, options)
    const durationMs = performance.now() - startedAt
    // The maximum is the one thing that may end it; anything else was not the run we meant to time.
    if (outcome.status !== 'escalated')
      throw new Error(`The run ended as "${outcome.status}" instead of using up its iterations.`)
    return durationMs
  } finally {
    await store.close()
  }
}
