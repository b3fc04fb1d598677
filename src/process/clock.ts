import { uptime } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '../core/event.ts'

/**
 * Milliseconds since this process began, by a clock that nobody sets. Not `performance.now()`: that loads a module which takes a hook, for
 * which an agent waits, longer than its journal.
 */
export function steadyMs(): number {
  return process.uptime() * 1000
}

export interface Clock {
  now(): Instant
  /** Resolves at `until`, or as soon as the signal is aborted. */
  sleepUntil(until: Instant, signal: AbortSignal): Promise<void>
}

/**
 * A clock that starts with the machine's time and then only counts on: budgets and waits must not follow a clock that somebody sets, or
 * that jumps. Time that the machine slept counts.
 */
export function steadyClock(): Clock {
  const startedAt = Date.now()
  const startMs = steadyMs()
  const startUpMs = uptime() * 1000
  let lookedMs = startMs
  let sleptMs = 0
  const now = (): Instant => {
    const nowMs = steadyMs()
    // To ask how long the machine is up takes longer than all else here.
    if (nowMs - lookedMs >= LOOK_MS) {
      lookedMs = nowMs
      // The time since the machine was started is coarse, but counts while it sleeps.
      const asleepMs = uptime() * 1000 - startUpMs - (nowMs - startMs)
      if (asleepMs > SLEPT_MS_MIN) sleptMs = asleepMs
    }
    return Math.round(startedAt + nowMs - startMs + sleptMs)
  }
  return {
    now,
    sleepUntil: async (until, signal) => {
      // A timeout lasts at most 24 days, and a laptop may sleep in between, so look every minute.
      while (now() < until && !signal.aborted) {
        await sleep(Math.min(Math.max(1, until - now()), 60_000), undefined, { signal }).catch(ignoreAbort)
      }
    },
  }
}

/** More than the two clocks differ by while the machine is awake. */
const SLEPT_MS_MIN = 2000

/** How often it is asked whether the machine slept. */
const LOOK_MS = 50

/** The clock of this process. */
export const systemClock: Clock = steadyClock()

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
