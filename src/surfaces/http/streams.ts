import { streamSSE } from 'hono/streaming'
import type { SSEStreamingApi } from 'hono/streaming'
import { knownState } from '../../engine/person-facts.ts'
import { optional, settingsSchema } from '../../schema/kinds.ts'
import { activityPath, activityReader } from '../../process/activity.ts'
import type { RunListRow } from '../../present/run-list.ts'
import type { RunChanged } from './contract.ts'
import { type Caller, countText, type Endpoint, endpoint, type HttpProject } from './endpoint.ts'

const EVENTS_AT_ONCE = 500

/** Something is sent so often, so that a connection that is gone is noticed. */
const BEAT_MS = 15_000

const ACTIVITY_MS = 500

/** A run's events as they are appended. The id of each is its `seq`, so whoever reconnects misses none and gets none twice. */
const runStream = endpoint({
  method: 'GET',
  path: '/runs/:run/stream',
  about: "A run's events as they happen, each with its `seq` as id; the event `activity` says what the agent does now",
  query: settingsSchema({ after: optional(countText(0, 1e15), 'Begin after this seq; `Last-Event-ID` counts first') }),
  answers: 'text/event-stream',
  isStream: true,
  call: async ({ project, run, query, caller, context }) => {
    await project.index.start()
    if ((await project.store.read(run, 0, 1)).length === 0) await knownState(project.store, run)
    const last = context.req.header('last-event-id') ?? ''
    const after = /^\d{1,15}$/.test(last) ? Number(last) : (query.after ?? 0)
    return streamSSE(context, (stream) => sendRun(project, run, after, stream, caller))
  },
})

async function sendRun(
  project: HttpProject,
  run: string,
  after: number,
  stream: SSEStreamingApi,
  { isIn }: Caller,
): Promise<void> {
  const ending = new AbortController()
  stream.onAbort(() => ending.abort())
  const changes = signalOf((listener) => project.index.listenTo(run, listener), ending.signal)
  const activity = activityReader(activityPath(project, run))
  let seq = after
  while (!ending.signal.aborted && isIn()) {
    changes.clear()
    const events = await project.store.read(run, seq, EVENTS_AT_ONCE)
    for (const event of events) {
      seq = event.seq
      await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) })
      if (ending.signal.aborted) return
    }
    if (events.length === EVENTS_AT_ONCE) continue
    await beatUntil(stream, changes, ending.signal, isIn, async () => {
      const lines = activity()
      if (lines.length > 0) await stream.writeSSE({ event: 'activity', data: JSON.stringify(lines) })
    })
  }
}

/** Which runs are new or changed, over the whole project. */
const storeStream = endpoint({
  method: 'GET',
  path: '/stream',
  about: 'Runs that are new or changed (`change`) or were removed (`remove`), as it happens',
  answers: 'text/event-stream',
  isStream: true,
  call: async ({ project, caller, context }) => {
    await project.index.start()
    return streamSSE(context, (stream) => sendChanges(project, stream, caller))
  },
})

async function sendChanges({ index }: HttpProject, stream: SSEStreamingApi, { isIn }: Caller): Promise<void> {
  const ending = new AbortController()
  stream.onAbort(() => ending.abort())
  const waiting = new Map<string, RunListRow | undefined>()
  const changes = signalOf((listener) => {
    return index.listen((run, row) => {
      waiting.set(run, row)
      listener()
    })
  }, ending.signal)
  const count = async (): Promise<number> => (await index.find({ limit: 1 })).waiting
  await stream.writeSSE({ event: 'hello', data: JSON.stringify({ waiting: await count() }) })
  while (!ending.signal.aborted && isIn()) {
    changes.clear()
    const some = [...waiting]
    waiting.clear()
    const open = some.length > 0 ? await count() : 0
    for (const [run, row] of some) {
      const data = row ? ({ row, waiting: open } satisfies RunChanged) : { run }
      await stream.writeSSE({ event: row ? 'change' : 'remove', data: JSON.stringify(data) })
      if (ending.signal.aborted) return
    }
    await beatUntil(stream, changes, ending.signal, isIn)
  }
}

/** A change that can be waited for, and is not missed if it comes before the wait. */
interface ChangeSignal {
  clear(): void
  isSet(): boolean
  wait(timeoutMs: number): Promise<void>
}

function signalOf(subscribe: (listener: () => void) => () => void, signal: AbortSignal): ChangeSignal {
  let isSet = false
  let wake: (() => void) | undefined
  const unsubscribe = subscribe(() => {
    isSet = true
    wake?.()
  })
  signal.addEventListener('abort', () => {
    unsubscribe()
    wake?.()
  })
  return {
    clear: () => void (isSet = false),
    isSet: () => isSet,
    wait: (timeoutMs) =>
      new Promise((resolve) => {
        if (isSet || signal.aborted) return resolve()
        const timer = setTimeout(resolve, timeoutMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

async function beatUntil(
  stream: SSEStreamingApi,
  changes: ChangeSignal,
  signal: AbortSignal,
  isIn: () => boolean,
  meanwhile?: () => Promise<void>,
): Promise<void> {
  let beatAt = performance.now() + BEAT_MS
  while (!changes.isSet() && !signal.aborted && isIn()) {
    await changes.wait(meanwhile ? ACTIVITY_MS : BEAT_MS)
    await meanwhile?.()
    if (performance.now() < beatAt || signal.aborted) continue
    beatAt = performance.now() + BEAT_MS
    await stream.write(': still here\n\n')
  }
}

/** The addresses that stay open. */
export const STREAM_ENDPOINTS: readonly Endpoint[] = [runStream, storeStream]
