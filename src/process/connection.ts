import { lookup } from 'node:dns/promises'
import { connect, createServer } from 'node:net'

/** Whether somebody answers at this address. `unknown` when it cannot be told within a second. */
export async function isAnswering(host: string, port: number): Promise<boolean | 'unknown'> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 })
    const settle = (answer: boolean | 'unknown') => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('timeout', () => settle('unknown'))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED' ? false : 'unknown'))
  })
}

/** Whether this machine finds an address for the name, within three seconds: a name server that is out of reach finds none. */
export async function isResolvable(host: string): Promise<boolean> {
  const found = lookup(host).then(
    () => true,
    () => false,
  )
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), 3000)
  return Promise.race([found, tooLate]).finally(() => clearTimeout(timer))
}

/** Whether a port of this machine is held by somebody: then nobody else can listen there. */
export async function isPortHeld(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(false)))
  })
}
