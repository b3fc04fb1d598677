import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { lookup } from 'node:dns'
import { BlockList, connect, createServer as createSocketServer, type LookupFunction, type Socket } from 'node:net'
import { once } from 'node:events'

/** The only way out of a box: a proxy on a socket in the box's folder, which lets through what is allowed. */
export interface Egress {
  close(): Promise<void>
}

export interface EgressOptions {
  readonly socket: string
  /** `example.com`, `*.example.com`, each with `:port` if it is not any port. */
  readonly allowed: readonly string[]
  onRefused(host: string, program: string): void
}

/** HTTP and CONNECT for whatever comes in. Names are looked up out here, so nothing leaves by way of a look-up. */
export async function openEgress({ socket, allowed, onRefused }: EgressOptions): Promise<Egress> {
  const programs = new WeakMap<Socket, string>()
  const isOpen = (host: string, port: number, from: Socket): boolean => {
    if (isAllowed(allowed, host, port)) return true
    onRefused(port === 443 || port === 80 ? host : `${host}:${port}`, programs.get(from) ?? '')
    return false
  }
  const proxy = createServer((asked, answer) => forward(asked, answer, isOpen))
  proxy.on('connect', (asked: IncomingMessage, from: Socket, head: Buffer) => {
    const { host, port } = target(asked.url ?? '')
    from.on('error', () => from.destroy())
    // The box must not be able to end Pawl by what no port can be.
    if (!(port > 0 && port < 65_536)) return void from.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    if (!isOpen(host, port, from)) return void from.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusalText(host)}\n`)
    const to = connect({ port, host, lookup: lookupFor(host) }, () => {
      from.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) to.write(head)
      to.pipe(from).pipe(to)
    })
    to.on('error', () => from.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    from.on('close', () => to.destroy())
  })
  const passOn = async (incoming: Socket): Promise<void> => {
    try {
      programs.set(incoming, await named(incoming))
      proxy.emit('connection', incoming)
    } catch {
      incoming.destroy()
    }
  }
  const open = new Set<Socket>()
  const server = createSocketServer((incoming) => {
    open.add(incoming)
    incoming.on('close', () => open.delete(incoming)).on('error', () => incoming.destroy())
    void passOn(incoming)
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    close: async () => {
      for (const each of open) each.destroy()
      server.close()
      proxy.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The program inside says first, in a line of its own, for whom it opens a connection. */
async function named(incoming: Socket): Promise<string> {
  let read = Buffer.alloc(0)
  while (true) {
    const end = read.indexOf(10)
    if (end >= 0) {
      incoming.unshift(read.subarray(end + 1))
      return read.subarray(0, end).toString('utf8')
    }
    if (read.length > NAME_MAX) throw new Error('no name')
    if (incoming.destroyed) throw new Error('closed')
    const piece = incoming.read() as Buffer | null
    if (piece === null) await Promise.race([once(incoming, 'readable'), once(incoming, 'close')])
    else read = Buffer.concat([read, piece])
  }
}

const NAME_MAX = 1000

function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  isOpen: (host: string, port: number, from: Socket) => boolean,
): void {
  const url = URL.parse(asked.url ?? '')
  if (!url || url.protocol !== 'http:') return void answer.writeHead(400).end()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isOpen(host, Number(url.port || 80), asked.socket)) return void answer.writeHead(403).end(`${refusalText(host)}\n`)
  const { 'proxy-connection': _, ...others } = asked.headers
  // A server with several names must not be asked for another one.
  const headers = { ...others, host: url.host }
  const onward = httpRequest(url, { method: asked.method ?? 'GET', headers, lookup: lookupFor(host) }, (response) => {
    const { statusCode = 0 } = response
    answer.writeHead(statusCode < 200 ? 502 : statusCode, response.headers)
    response.pipe(answer)
  })
  onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
  asked.pipe(onward)
}

/**
 * Looks up a name, and refuses this machine's own addresses and link-local ones, where clouds keep credentials: a name that somebody else
 * gives out could lead there. Who allows `localhost` or an address means it.
 */
function lookupFor(host: string): LookupFunction {
  if (nameOf(host) === 'localhost') return lookup as LookupFunction
  return (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found = []) => {
      const open = found.filter(({ address, family }) => !OWN_ADDRESSES.check(address, family === 6 ? 'ipv6' : 'ipv4'))
      const [first] = open
      if (error ?? !first) return callback(error ?? new Error(`${name} leads to this machine`), '', 4)
      if (options.all) return (callback as (error: null, all: typeof open) => void)(null, open)
      callback(null, first.address, first.family)
    })
}

const OWN_ADDRESSES = new BlockList()
OWN_ADDRESSES.addSubnet('0.0.0.0', 8)
OWN_ADDRESSES.addSubnet('127.0.0.0', 8)
OWN_ADDRESSES.addSubnet('169.254.0.0', 16)
OWN_ADDRESSES.addAddress('::', 'ipv6')
OWN_ADDRESSES.addAddress('::1', 'ipv6')
OWN_ADDRESSES.addSubnet('fe80::', 10, 'ipv6')

function target(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(':')
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) }
}

/** Whether a rule of the list fits. A rule without a port fits every port. */
function isAllowed(allowed: readonly string[], host: string, port: number): boolean {
  const name = nameOf(host.replace(/\.$/, ''))
  return allowed.some((rule) => {
    const { pattern, port: wanted } = parsedRule(rule)
    if (wanted !== undefined && wanted !== port) return false
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
  })
}

/** A rule's parts: `localhost:5432`. */
export function parsedRule(rule: string): { readonly pattern: string; readonly port?: number } {
  const [, pattern = rule, port] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? []
  return { pattern: nameOf(pattern.replace(/^\[|\]$/g, '')), ...(port === undefined ? {} : { port: Number(port) }) }
}

/** This machine has two names. */
function nameOf(host: string): string {
  const name = host.toLowerCase()
  return name === '127.0.0.1' ? 'localhost' : name
}

function refusalText(host: string): string {
  return `Pawl's sandbox refused the connection to ${host}. To allow it, add it to sandbox.allow in pawl.yaml.`
}
