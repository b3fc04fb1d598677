import { hash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { PawlError } from '../../core/pawl-error.ts'
import { shellWord } from '../../core/wording.ts'
import { httpToken } from '../../settings/user-files.ts'
import { mcpServer } from './mcp-server.ts'
import { openMcpProject, reportError, type McpProject, type McpProjectOptions } from './project.ts'

export interface McpOptions extends McpProjectOptions {
  /** Over streamable HTTP instead of standard input and output; 0 takes a free port. */
  readonly port?: number
  /** The same on a socket at this path. */
  readonly socket?: string
  /** Called once the server listens, with what to tell the user. */
  readonly onListening: (lines: readonly string[]) => void
}

/** Serves MCP until the client goes away or the process is asked to end. What is under way is ended cleanly. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { port, socket, onListening } = options
  const project = openMcpProject(options)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  for (const name of SIGNALS) process.on(name, () => end())
  try {
    if (port === undefined && socket === undefined) return await serveOneClient(project, ended)
    const { token, path } = httpToken(project.userFolder)
    const serving = await serveHttp(project, socket === undefined ? { port: port ?? 0, token } : { socket })
    onListening(
      socket === undefined ? portLines(serving.url, path) : [`Serving MCP at ${PATH} on the socket ${socket} (Ctrl-C ends it)`],
    )
    await ended
    await serving.close()
  } finally {
    await project.close()
  }
}

function portLines(url: string, tokenPath: string): readonly string[] {
  const header = `--header "Authorization: Bearer $(cat ${shellWord(tokenPath)})"`
  return [
    `Serving MCP at ${url} (Ctrl-C ends it)`,
    `  Token   ${tokenPath}`,
    `  Add it  claude mcp add --transport http pawl ${url} ${header}`,
  ]
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Serves one client over standard input and output, until it goes away or `ended` resolves. */
async function serveOneClient(project: McpProject, ended: Promise<unknown>): Promise<void> {
  const gone = [once(process.stdin, 'end'), once(process.stdin, 'close'), once(process.stdout, 'close'), ended]
  const handle = serveStdio(() => mcpServer(project), { onerror: reportError })
  await Promise.race(gone)
  await handle.close()
}

export interface HttpServing {
  /** Where clients find it: `http://127.0.0.1:7295/mcp`. */
  readonly url: string
  close(): Promise<void>
}

/** Where to serve: on a port (0 takes one that is free) for those who know the token, or on a socket that only its owner can use. */
export type HttpPlace = { readonly port: number; readonly token: string } | { readonly socket: string }

/** Serves any number of clients of this machine over streamable HTTP. */
export async function serveHttp(project: McpProject, place: HttpPlace): Promise<HttpServing> {
  const handler = createMcpHandler(() => mcpServer(project), { onerror: reportError })
  const server = createServer((request, response) => void respond(handler, place, request, response).catch(reportError))
  await listening(server, place)
  const address = server.address() as AddressInfo | string
  return {
    url: `http://${typeof address === 'string' ? 'localhost' : `${LOOPBACK}:${address.port}`}${PATH}`,
    close: async () => {
      await handler.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

const LOOPBACK = '127.0.0.1'
const PATH = '/mcp'

async function listening(server: Server, place: HttpPlace): Promise<void> {
  const listened = once(server, 'listening')
  if ('port' in place) {
    server.listen(place.port, LOOPBACK)
    await listened.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
      const message = `Port ${place.port} cannot be used (${error.code}): name another with --port.`
      throw new PawlError('usage.port', message, { cause: error })
    })
    return
  }
  // A socket is there as soon as it is listened on, and must never be open to others.
  const mask = process.umask(0o177)
  server.listen(place.socket)
  process.umask(mask)
  await listened.catch((error: NodeJS.ErrnoException) => {
    const message = `The socket ${place.socket} can't be used (${error.code}): name another with --socket, or delete it if no server uses it.`
    throw new PawlError('usage.socket', message, { cause: error })
  })
}

async function respond(
  handler: McpHttpHandler,
  place: HttpPlace,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const answer = await answerTo(handler, place, incoming, gone.signal).catch((error: unknown) => {
    reportError(error)
    return new Response('Bad request', { status: 400 })
  })
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (!answer.body) return void outgoing.end()
  try {
    await pipeline(Readable.fromWeb(answer.body), outgoing)
  } catch (error) {
    // A client that leaves in the middle is no fault of ours.
    if (!gone.signal.aborted) throw error
  }
}

/** A page in a browser must not reach us under another name, nor from another site; nor may another user of this machine. */
async function answerTo(
  handler: McpHttpHandler,
  place: HttpPlace,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<Response> {
  const request = requestFrom(incoming, signal)
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (refused) return refused
  if (new URL(request.url).pathname !== PATH) return new Response(`Not found: the endpoint is ${PATH}`, { status: 404 })
  if ('token' in place && !hasToken(request, place.token)) {
    const headers = { 'www-authenticate': 'Bearer realm="pawl"' }
    return new Response(UNAUTHORIZED, { status: 401, headers })
  }
  return handler.fetch(request)
}

const UNAUTHORIZED = `Unauthorized: send the header "Authorization: Bearer TOKEN".
\`pawl mcp --http\` prints the token's file when it starts.
`

/** Compared as hashes, so that neither length nor time tells how much of it is right. */
function hasToken(request: Request, token: string): boolean {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))
}

function requestFrom(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {}
  return new Request(new URL(url, `http://${LOOPBACK}`), { method, headers, signal, ...body })
}
