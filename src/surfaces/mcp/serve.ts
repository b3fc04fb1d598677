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
import { mcpServer } from './mcp-server.ts'
import { openMcpProject, reportError, type McpProject, type McpProjectOptions } from './project.ts'

export interface McpOptions extends McpProjectOptions {
  /** Over streamable HTTP instead of standard input and output; 0 takes a free port. */
  readonly port?: number
  /** Called with the address once the server listens. */
  readonly onListening: (url: string) => void
}

/** Serves MCP until the client goes away or the process is told to end. What is under way is ended cleanly. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { port, onListening } = options
  const project = openMcpProject(options)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  for (const name of SIGNALS) process.on(name, () => end())
  try {
    if (port === undefined) return await serveOneClient(project, ended)
    const serving = await serveHttp(project, port)
    onListening(serving.url)
    await ended
    await serving.close()
  } finally {
    await project.close()
  }
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

/** Serves any number of clients of this machine over streamable HTTP. Port 0 takes one that is free. */
export async function serveHttp(project: McpProject, port: number): Promise<HttpServing> {
  const handler = createMcpHandler(() => mcpServer(project), { onerror: reportError })
  const server = createServer((request, response) => void respond(handler, request, response).catch(reportError))
  await listening(server, port)
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${LOOPBACK}:${taken}${PATH}`,
    close: async () => {
      await handler.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

const LOOPBACK = '127.0.0.1'
const PATH = '/mcp'

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
    throw new PawlError('usage.port', `Port ${port} cannot be used (${error.code}): name another with --port.`, { cause: error })
  })
}

async function respond(handler: McpHttpHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const answer = await answerTo(handler, incoming, gone.signal).catch((error: unknown) => {
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

/** A page in a browser must not reach us under another name, nor from another site. */
async function answerTo(handler: McpHttpHandler, incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const request = requestFrom(incoming, signal)
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (refused) return refused
  if (new URL(request.url).pathname !== PATH) return new Response(`Not found: the endpoint is ${PATH}`, { status: 404 })
  return handler.fetch(request)
}

function requestFrom(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {}
  return new Request(new URL(url, `http://${LOOPBACK}`), { method, headers, signal, ...body })
}
