import type { RunId, Seq } from '../core/event.ts'
import type { RunChange, SealedEvent } from './store.ts'

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

export type RunsSource = Omit<WatchSource, 'read'> & {
  /** Where every run ends now. */
  ends(): Promise<readonly RunChange[]>
}

/** Yields the runs that are new, changed or removed since the last time, first all of them. */
export async function* watchRunEnds(source: RunsSource, signal: AbortSignal): AsyncGenerator<readonly RunChange[], void, void> {
  let known: Map<RunId, Seq> | undefined
  while (!signal.aborted && !source.isClosed()) {
    const version = source.version()
    const ends = await source.ends().catch((error: unknown) => {
      if (source.isClosed()) return []
      throw error
    })
    if (signal.aborted || source.isClosed()) return
    const present = new Map(ends.map(({ run, seq }) => [run, seq]))
    const gone = [...(known?.keys() ?? [])].filter((run) => !present.has(run)).map((run) => ({ run, seq: 0 }))
    const changed = [...ends.filter(({ run, seq }) => known?.get(run) !== seq), ...gone]
    const isFirst = known === undefined
    known = present
    if (isFirst || changed.length > 0) yield changed
    while (!signal.aborted && !source.isClosed() && source.version() === version) await source.wait(signal)
  }
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
