import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '../core/event.ts'

export interface Clock {
  now(): Instant
  /** Resolves at `until`, or as soon as the signal is aborted. */
  sleepUntil(until: Instant, signal: AbortSignal): Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleepUntil: async (until, signal) => {
    // A timeout lasts at most 24 days, and a laptop may sleep in between, so check the clock every minute.
    while (Date.now() < until && !signal.aborted) {
      await sleep(Math.min(until - Date.now(), 60_000), undefined, { signal }).catch(ignoreAbort)
    }
  },
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
