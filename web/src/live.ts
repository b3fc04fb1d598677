import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { isReport } from './api.ts'

/** Whether the stream of changes is connected: `off` in a report, which never changes. */
export const connection = signal<'off' | 'live' | 'lost'>(isReport ? 'off' : 'live')

/** Counts up whenever a run of the project changes. One stream in the tab hears it for every view. */
export const projectChanges = signal(0)

/** How often a tab in the background asks. A browser keeps only six connections to a server open, for all its tabs together. */
const HIDDEN_MS = 15_000

/** How long changes are gathered before the page asks for the new state. */
const GATHER_MS = 250

/**
 * Counts up when the stream at a path reports changes. `after` is the last event that is known already. The browser connects again by
 * itself, with the last event's number; where it gives up, this does it.
 */
export function useStream(
  path: string | undefined,
  { after, onEvent }: { readonly after?: number | undefined; readonly onEvent?: (type: string, data: unknown) => void } = {},
): number {
  const version = useMemo(() => signal(0), [])
  useEffect(() => {
    if (isReport || path === undefined) return undefined
    let changing: ReturnType<typeof setTimeout> | undefined
    let opening: ReturnType<typeof setTimeout> | undefined
    let source: EventSource | undefined
    let last = after === undefined ? '' : String(after)
    let retryMs = RETRY_MS_MIN
    let asking: ReturnType<typeof setInterval> | undefined
    const change = (): void => {
      changing ??= setTimeout(() => {
        changing = undefined
        version.value++
      }, GATHER_MS)
    }
    const take = (event: MessageEvent<string>): void => {
      if (event.lastEventId) last = event.lastEventId
      onEvent?.(event.type, parse(event.data))
      if (event.type !== 'activity') change()
    }
    const open = (): void => {
      source = new EventSource(`/api/v1${path}${last === '' ? '' : `?after=${encodeURIComponent(last)}`}`)
      source.addEventListener('open', () => {
        retryMs = RETRY_MS_MIN
        // What happened meanwhile may not be in the stream.
        if (connection.value === 'lost') change()
        connection.value = 'live'
      })
      for (const type of ['message', 'change', 'remove', 'activity']) source.addEventListener(type, take as EventListener)
      source.addEventListener('error', () => {
        connection.value = 'lost'
        // The browser gives up for good on some errors, such as a proxy without a server behind it.
        if (source?.readyState !== EventSource.CLOSED) return
        opening = setTimeout(open, retryMs)
        retryMs = Math.min(retryMs * 2, RETRY_MS_MAX)
      })
    }
    const turn = (): void => {
      clearInterval(asking)
      clearTimeout(opening)
      source?.close()
      if (document.hidden) asking = setInterval(change, HIDDEN_MS)
      else open()
    }
    const seen = (): void => {
      change()
      turn()
    }
    document.addEventListener('visibilitychange', seen)
    turn()
    return () => {
      document.removeEventListener('visibilitychange', seen)
      clearInterval(asking)
      source?.close()
      clearTimeout(changing)
      clearTimeout(opening)
    }
  }, [path])
  return version.value
}

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 5000

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The time now, which moves on once every few seconds, so that ages stay true. */
export const now = signal(Date.now())
if (!isReport) setInterval(() => (now.value = Date.now()), 5000)
