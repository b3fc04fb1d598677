import type { RunId } from '../core/event.ts'
import { type Changes, changes } from './changes.ts'
import type { PostgresLists } from './postgres-lists.ts'

/** What changed in the runs that somebody watches, whoever changed it. */
export interface PostgresChanges {
  /** Watches one run, or all of them, until `stop` is called. */
  watch(run: RunId | undefined): { version(): number; stop(): void }
  /** This process has changed a run. */
  notify(run: RunId): void
  readonly wait: Changes['wait']
  close(): void
}

interface Watched {
  watchers: number
  version: number
  /** What the last poll found. */
  seen?: string
}

/** How often the ends of watched runs are looked up: in one statement, however many there are. */
const RUNS_POLL_MS = 200

/** The same for all runs at once, which lists show. */
const ALL_POLL_MS = 500

/**
 * Polls for changes. Nothing is listened for: a pooler may give the connection to another process, and a notification takes a lock that
 * all commits of the database wait for.
 */
export function postgresChanges(lists: () => Promise<PostgresLists>): PostgresChanges {
  const local = changes()
  const watched = new Map<RunId | undefined, Watched>()
  let isClosed = false
  const bump = (run: RunId | undefined): void => {
    const found = watched.get(run)
    if (found) found.version += 1
  }
  const saw = (run: RunId | undefined, found: string): void => {
    const each = watched.get(run)
    if (!each || each.seen === found) return
    each.seen = found
    each.version += 1
  }
  const runsPoller = poller(RUNS_POLL_MS, async () => {
    const runs = [...watched.keys()].filter((run) => run !== undefined)
    if (runs.length === 0) return false
    const ends = new Map((await (await lists()).ends(runs)).map(({ run, seq }) => [run, seq]))
    for (const run of runs) saw(run, String(ends.get(run) ?? 0))
    return true
  })
  const allPoller = poller(ALL_POLL_MS, async () => {
    if (!watched.has(undefined)) return false
    saw(undefined, await (await lists()).version())
    return true
  })

  /** Polls while there is something to poll for. */
  function poller(everyMs: number, poll: () => Promise<boolean>): () => void {
    let isPolling = false
    const loop = async (): Promise<void> => {
      // If the database can't be reached, the watchers read, and report the error themselves.
      const goesOn = await poll().catch(() => {
        for (const run of watched.keys()) bump(run)
        return watched.size > 0
      })
      local.notify()
      if (goesOn && !isClosed) setTimeout(() => void loop(), everyMs)
      else isPolling = false
    }
    return () => {
      if (isPolling) return
      isPolling = true
      setTimeout(() => void loop(), everyMs)
    }
  }

  return {
    watch(run) {
      const each = watched.get(run) ?? { watchers: 0, version: 0 }
      watched.set(run, each)
      each.watchers += 1
      ;(run === undefined ? allPoller : runsPoller)()
      return {
        version: () => each.version,
        stop() {
          each.watchers -= 1
          if (each.watchers === 0) watched.delete(run)
        },
      }
    },
    notify(run) {
      bump(run)
      bump(undefined)
      local.notify()
    },
    wait: local.wait,
    close() {
      isClosed = true
      local.notify()
    },
  }
}
