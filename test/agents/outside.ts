import { createServer, type AddressInfo } from 'node:net'

export interface Outside extends AsyncDisposable {
  readonly url: string
  /** The first line of everything that was sent out, in order. */
  readonly asked: readonly string[]
}

/** Stands in for the whole network: agents get it as their proxy, and it lets nothing through and notes what was wanted. */
export async function outside(): Promise<Outside> {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      asked.push(data.toString('latin1').split('\r\n', 1)[0] ?? '')
      socket.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
