import type { RunId, Seq } from '../core/event.ts'
import type { SealedEvent } from './store.ts'

/** A counter of changes that can be waited for. */
export interface Changes {
  /** Grows with every `notify`. */
  count(): number
  notify(): void
  /** Resolves at the next `notify`, when the signal is aborted, or after `timeoutMs`, whichever is first. */
  wait(signal: AbortSignal, timeoutMs?: number): Promise<void>
}

/** Changes made by this process. */
export function changes(): Changes {
  const waiting = new Set<() => void>()
  let count = 0
  return {
    count: () => count,
    notify() {
      count++
      for (const wake of waiting) wake()
    },
    wait: (signal, timeoutMs) =>
      new Promise((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs)
        function wake(): void {
          clearTimeout(timer)
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
  }
}

export interface WatchSource {
  read(run: RunId, after: Seq): Promise<readonly SealedEvent[]>
  /** Differs after every change, and is cheap to read. */
  version(): string | number
  /** Resolves when the version may have changed. */
  wait(signal: AbortSignal): Promise<void>
  isClosed(): boolean
}

/** Yields new events of a run until the signal is aborted or the store is closed. */
export async function* watchEvents(
  source: WatchSource,
  run: RunId,
  after: Seq,
  signal: AbortSignal,
): AsyncGenerator<readonly SealedEvent[], void, void> {
  let seq = after
  while (!signal.aborted && !source.isClosed()) {
    // Before reading: a change in between is then seen by the next round, not missed.
    const version = source.version()
    const events = await source.read(run, seq).catch((error: unknown) => {
      if (source.isClosed()) return []
      throw error
    })
    const last = events.at(-1)
    if (last !== undefined && !signal.aborted) {
      seq = last.seq
      yield events
      continue
    }
    while (!signal.aborted && !source.isClosed() && source.version() === version) await source.wait(signal)
  }
}
