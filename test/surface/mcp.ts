import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Schema, schemaText } from './json-schema.ts'
import { objectText } from './lines.ts'
import { ENVIRONMENT, inFolder, PAWL } from './pawl.ts'

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  readonly annotations?: Schema
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'surface', version: '1' },
}

/** What the server over standard input and output says it is and has. */
export async function mcpOverStdio(): Promise<Record<string, unknown>> {
  return inFolder(async (cwd) => {
    const server = spawn(PAWL, ['mcp'], { cwd, env: { ...ENVIRONMENT, HOME: cwd }, stdio: ['pipe', 'pipe', 'ignore'] })
    const closed = once(server, 'close')
    const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const ask = async (id: number, method: string, params: object) => {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      const { value } = await answers.next()
      return (JSON.parse(String(value)) as { readonly result: Record<string, unknown> }).result
    }
    try {
      const { serverInfo, capabilities } = await ask(1, 'initialize', INITIALIZE)
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
      const { tools } = (await ask(2, 'tools/list', {})) as unknown as { readonly tools: readonly Tool[] }
      const shapes = tools.map(({ name, inputSchema, outputSchema, annotations = {} }) => [
        name,
        {
          input: schemaText(inputSchema),
          output: outputSchema ? schemaText(outputSchema) : 'none',
          annotations: objectText(
            Object.entries(annotations).flatMap(([key, each]) => (key === 'title' ? [] : [`${key}: ${each}`])),
          ),
        },
      ])
      return { name: (serverInfo as { name: string }).name, capabilities, tools: Object.fromEntries(shapes) }
    } finally {
      server.stdin.end()
      await closed
    }
  })
}

/** What the server answers over HTTP, request by request. */
export async function mcpOverHttp(): Promise<Record<string, string>> {
  return inFolder(async (cwd) => {
    const server = spawn(PAWL, ['mcp', '--http', '--port', '0'], { cwd, env: { ...ENVIRONMENT, HOME: cwd } })
    // A server that could not start has closed before anybody ends it.
    const closed = once(server, 'close')
    try {
      const url = await new Promise<URL>((resolve, reject) => {
        let printed = ''
        const read = (text: Buffer) => {
          const found = /http:\/\/[\w.]+:\d+\/\S*\w/.exec((printed += text.toString()))
          if (found) resolve(new URL(found[0]))
        }
        server.stdout.on('data', read)
        server.stderr.on('data', read)
        server.once('close', () => reject(new Error(`The server ended: ${printed}`)))
      })
      const token = readFileSync(join(cwd, '.config', 'pawl', 'mcp-token'), 'utf8').trim()
      const body = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: INITIALIZE })
      const asked: readonly (readonly [string, string, string, Record<string, string>, string?])[] = [
        ['without the token', 'POST', url.pathname, { authorization: '' }, body('initialize')],
        ['initialize', 'POST', url.pathname, {}, body('initialize')],
        ['tools/list without a session', 'POST', url.pathname, {}, body('tools/list')],
        ['a method it does not have', 'POST', url.pathname, {}, body('nonesuch')],
        ['not JSON', 'POST', url.pathname, {}, 'x'],
        ['another content type', 'POST', url.pathname, { 'content-type': 'text/plain' }, body('initialize')],
        ['accepts only JSON', 'POST', url.pathname, { accept: 'application/json' }, body('initialize')],
        ['another host', 'POST', url.pathname, { host: 'example.com' }, body('initialize')],
        ['another origin', 'POST', url.pathname, { origin: 'http://example.com' }, body('initialize')],
        ['a local origin', 'POST', url.pathname, { origin: 'http://localhost:5173' }, body('initialize')],
        ['stream', 'GET', url.pathname, { accept: 'text/event-stream' }],
        ['end', 'DELETE', url.pathname, {}],
        ['put', 'PUT', url.pathname, {}, body('initialize')],
        ['preflight', 'OPTIONS', url.pathname, { origin: 'http://localhost:5173' }],
        ['another path', 'POST', '/', {}, body('initialize')],
      ]
      const answers: Record<string, string> = {}
      for (const [title, method, path, headers, text] of asked) {
        answers[`${method} ${path}: ${title}`] = await statusOf(
          new URL(path, url),
          method,
          { authorization: `Bearer ${token}`, ...headers },
          text,
        )
      }
      return answers
    } finally {
      server.kill('SIGTERM')
      await closed
    }
  })
}

/** Status and content type. `fetch` would not let us name another host. */
function statusOf(url: URL, method: string, headers: Record<string, string>, body?: string): Promise<string> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: { ...usual, ...headers }, agent: false }, (response) => {
      resolve(`${response.statusCode} ${response.headers['content-type'] ?? 'without content'}`)
      response.destroy()
    })
    asking.on('error', reject).end(body)
  })
}
