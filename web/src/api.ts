import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

/** An answer of the API that isn't a success: what problem+json says. */
export class Problem extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body['detail'] ?? body['title'] ?? `The server answered ${status}.`))
    this.status = status
    this.body = body
  }
}

/** In a report, the answers that were put into the file, by path. */
const kept = readKept()

function readKept(): Readonly<Record<string, unknown>> | undefined {
  const text = document.querySelector('#data')?.textContent
  return text == null ? undefined : (JSON.parse(text) as Record<string, unknown>)
}

/** Whether there is no server to ask: a report opened from disk. */
export const isReport = kept !== undefined

/** Reads from the API. The path begins after `/api/v1`. */
export async function get<T>(path: string, init?: RequestInit): Promise<T> {
  return kept ? (keptAt(path) as T) : ((await request(path, init ?? {})) as T)
}

/** In a report the whole grid and the whole log are one answer each. */
function keptAt(path: string): unknown {
  const found = kept?.[path] ?? kept?.[path.replace(/(?<=\/(?:grid|events))\?.*$/, '')]
  if (found !== undefined) return found
  throw new Problem(404, { detail: 'This report leaves that out. To see it, run `pawl serve`.' })
}

/** Asks for a change. The key makes sure that a request sent twice counts once. */
export async function post<T>(path: string, body: unknown, key = requestKey()): Promise<T> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return (await request(path, { method: 'POST', headers, body: JSON.stringify(body) })) as T
}

/** Asks for a removal. */
export async function remove(path: string): Promise<void> {
  await request(path, { method: 'DELETE' })
}

/** `crypto.randomUUID` is there only on https and loopback. */
function requestKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function request(path: string, init: RequestInit): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(`/api/v1${path}`, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Problem(0, { detail: 'The server doesn’t answer. Start it again: pawl serve' })
  }
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const data: unknown = isJson ? JSON.parse(text) : text
  if (response.ok) return data
  throw new Problem(
    response.status,
    isJson ? (data as Record<string, unknown>) : { detail: `The server answered ${response.status}.` },
  )
}

/** What was asked of the API: the last answer stays while a newer one is on its way, so nothing jumps. */
export interface Resource<T> {
  readonly data?: T
  readonly error?: Problem
  readonly isLoading: boolean
}

/** Reads a path of the API, and again whenever the path or `version` changes. */
export function useResource<T>(path: string | undefined, version: unknown = 0): Resource<T> {
  const state = useMemo(() => signal<Resource<T> & { readonly path?: string }>({ isLoading: true }), [])
  useEffect(() => {
    if (path === undefined) return
    const abort = new AbortController()
    // Another path's answer doesn't belong here, unless only the query differs.
    const isSame = state.value.path?.split('?')[0] === path.split('?')[0]
    state.value = { ...(isSame ? state.value : {}), isLoading: true, path }
    get<T>(path, { signal: abort.signal }).then(
      (data) => (state.value = { data, isLoading: false, path }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error) })
        state.value = {
          ...(isSame && state.value.data !== undefined ? { data: state.value.data } : {}),
          error: problem,
          isLoading: false,
          path,
        }
      },
    )
    return () => abort.abort()
  }, [path, version])
  const { value } = state
  return value.path === path || value.path?.split('?')[0] === path?.split('?')[0] ? value : { isLoading: true }
}
