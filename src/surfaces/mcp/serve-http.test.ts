import { statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { serveHttp } from './serve.ts'
import { testFolder } from '../../../test/support/mcp-support.ts'
import { openMcpProject } from './project.ts'

const MODERN = '2026-07-28'

const TOKEN = 'a-token-of-enough-letters-for-this-test'

async function served(): Promise<string> {
  const root = testFolder()
  const project = openMcpProject({ root, storePath: join(root, '.pawl', 'pawl.db') })
  const { url, close } = await serveHttp(project, { port: 0, token: TOKEN })
  onTestFinished(async () => {
    await close()
    await project.close()
  })
  return url
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** By hand, since `fetch` sets the headers that matter here itself. */
function post(url: string, message: unknown, given: Readonly<Record<string, string>> = {}, socketPath?: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, ...given }
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const accept = 'application/json, text/event-stream'
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      {
        ...(socketPath === undefined ? {} : { socketPath }),
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
      },
      (got) => {
        let text = ''
        got.setEncoding('utf8')
        got.on('data', (chunk: string) => (text += chunk))
        got.on('end', () => resolve({ status: got.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

function call(name: string, args: JsonObject, isModern: boolean): JsonObject {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: args, ...(isModern ? { _meta: meta } : {}) }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

/** The one message of an answer, whether it came as JSON or as a stream of events. */
function messageIn({ text }: Answer): { readonly result: { readonly structuredContent: JsonObject } } {
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

const START = { taskId: 'T', maxIterations: 2, completionPromises: ['<promise>COMPLETE</promise>'] }

test.each([true, false])('MCP-24 tools are called over HTTP; the newest revision: %s', async (isModern) => {
  const url = await served()
  const modern = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call' }
  const headers = (name: string): Record<string, string> =>
    isModern ? { ...modern, 'mcp-name': name } : { 'mcp-protocol-version': '2025-06-18' }
  const started = await post(url, call('iteration_start', START, isModern), headers('iteration_start'))
  expect(started.status).toBe(200)
  expect(messageIn(started).result.structuredContent).toMatchObject({ iterationId: 'T', iterationNumber: 1 })
  const next = await post(url, call('iteration_next', { iterationId: 'T' }, isModern), headers('iteration_next'))
  expect(messageIn(next).result.structuredContent).toMatchObject({ iterationNumber: 2 })
})

test('MCP-25 only this machine is served: another host name, another site and another path are refused', async () => {
  const url = await served()
  expect(new URL(url).hostname).toBe('127.0.0.1')
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  expect((await post(url, list, { host: 'evil.example' })).status).toBe(403)
  expect((await post(url, list, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(url, list, { origin: 'null' })).status).toBe(403)
  expect((await post(url.replace('/mcp', '/'), list)).status).toBe(404)
  expect((await post(url, list, { origin: 'http://localhost:3000' })).status).toBe(200)
})

test('MCP-8 nonsense over HTTP is refused and the server continues', async () => {
  const url = await served()
  for (const body of ['', '{', '[]', 'null', '[1,2]', '"x"']) {
    const { status } = await post(url, body)
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
  }
  expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })).status).toBe(200)
})

test('MCP-25 a port that is taken is named with the way out', async () => {
  const url = await served()
  const root = testFolder()
  const project = openMcpProject({ root, storePath: join(root, '.pawl', 'pawl.db') })
  onTestFinished(() => project.close())
  await expect(serveHttp(project, { port: Number(new URL(url).port), token: TOKEN })).rejects.toThrow('--port')
})

test('MCP-71 a client without the token, or with another, is refused and told what to send', async () => {
  const url = await served()
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  for (const authorization of ['', 'Bearer ', 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
    const { status, text } = await post(url, list, { authorization })
    expect(status).toBe(401)
    expect(text).toContain('Authorization: Bearer TOKEN')
    expect(text).not.toContain(TOKEN)
  }
  expect((await post(url, list, { authorization: `bearer ${TOKEN}` })).status).toBe(200)
})

test('MCP-71 a socket needs no token and only its owner can use it; one that is taken is named', async () => {
  const root = testFolder()
  const project = openMcpProject({ root, storePath: join(root, '.pawl', 'pawl.db') })
  const socket = join(root, 'mcp.sock')
  const { url, close } = await serveHttp(project, { socket })
  onTestFinished(async () => {
    await close()
    await project.close()
  })
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  expect((await post(url, list, { authorization: '' }, socket)).status).toBe(200)
  expect((await post(url, list, { host: 'evil.example' }, socket)).status).toBe(403)
  await expect(serveHttp(project, { socket })).rejects.toThrow('--socket')
})
