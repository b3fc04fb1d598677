import type { Instant } from '../core/event.ts'

export interface Clock {
  now(): Instant
  /** Resolves at `until`, or as soon as the signal is aborted. */
  sleepUntil(until: Instant, signal: AbortSignal): Promise<void>
}
