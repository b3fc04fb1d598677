import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './clock.ts'

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleepUntil: async (until, signal) => {
    // One timeout holds at most 24 days, and a laptop may sleep in between: look at the clock every minute.
    while (Date.now() < until && !signal.aborted) {
      await sleep(Math.min(until - Date.now(), 60_000), undefined, { signal }).catch(ignoreAbort)
    }
  },
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
