import { Worker } from 'node:worker_threads'

export interface Search {
  readonly pattern: string
  readonly flags: string
  readonly text: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type SearchResult =
  | { readonly status: 'done'; readonly isFound: boolean }
  /** It says nothing about the text; `why` goes on from "the pattern …". */
  | { readonly status: 'gave-up'; readonly why: string }
  | { readonly status: 'aborted' }

/**
 * Looks for a pattern in a thread of its own, which is ended when it takes too long: some patterns try more ways than there is time
 * for, and on our own thread nothing else could happen meanwhile.
 */
export async function matchWithin({ pattern, flags, text, timeoutMs, signal }: Search): Promise<SearchResult> {
  if (signal.aborted) return { status: 'aborted' }
  const worker = new Worker(SOURCE, { eval: true, env: {}, execArgv: [], workerData: { pattern, flags, text } })
  const { promise, resolve } = Promise.withResolvers<SearchResult>()
  const timer = setTimeout(() => resolve({ status: 'gave-up', why: `was not done within ${timeoutMs / 1000} s` }), timeoutMs)
  const abort = (): void => resolve({ status: 'aborted' })
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', (isFound: boolean) => resolve({ status: 'done', isFound }))
  worker.once('error', (error: Error) => resolve({ status: 'gave-up', why: `could not be tried (${error.message})` }))
  worker.once('exit', () => resolve({ status: 'gave-up', why: 'could not be tried' }))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

/** As text, so that it needs no file of its own beside the bundle. */
const SOURCE = `
const { parentPort, workerData: { pattern, flags, text } } = require('node:worker_threads')
parentPort.postMessage(new RegExp(pattern, flags).test(text))
`
