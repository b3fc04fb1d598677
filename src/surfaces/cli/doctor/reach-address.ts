import { connect } from 'node:net'

/** Why nobody is to be had at an address; `undefined` where somebody takes the call. Nothing is said to them. */
export async function reachAddress(address: string, limitMs = 1500): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(address)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: limitMs,
    })
    const end = (problem: string | undefined): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end(`nobody answered within ${limitMs / 1000} s`))
    socket.once('error', (error: NodeJS.ErrnoException) => end(REASONS[error.code ?? ''] ?? error.message))
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host could not be looked up',
}
