import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isInputRequiredResult } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { readArguments } from '../../src/schema/read-options.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Call } from '../../src/surfaces/mcp/tool.ts'
import { TOOLS } from '../../src/surfaces/mcp/mcp-server.ts'
import { COMPILE_CACHE, programFile } from './programs.ts'
import { openMcpProject, type McpProject, type McpProjectOptions } from '../../src/surfaces/mcp/project.ts'

/** A client of a real server process, written by hand so that it shares nothing with the server. */
export interface TestClient {
  readonly pid: number
  /** Calls a tool. */
  tool(name: string, args: JsonObject): Promise<ToolAnswer>
  /** Any request; the whole answer. */
  request(method: string, params: JsonObject): Promise<JsonObject>
  /** Writes a line as it is. */
  write(line: string): void
  /** Says that the last request is no longer wanted. */
  cancel(): void
  /** Methods of notifications that came. */
  readonly notified: string[]
  /** As `kill -9` does; resolves when it is gone. */
  kill(): Promise<void>
  /** Closes its input and gives its exit code. */
  end(): Promise<number | null>
}

export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what its tool answers.
  readonly data: any
}

export interface ClientOptions {
  /** The protocol's revision. Default the newest. */
  readonly revision?: '2025-06-18' | '2026-07-28'
  /** Answers what the server asks the person; without it the client says that it cannot. */
  readonly elicit?: (params: JsonObject) => JsonObject
  readonly relaysAnswers?: boolean
  /** Default true: most tests use commands as rules and aren't about consent. */
  readonly allowsAgentCommands?: boolean
}

/** A folder that is removed when the test is over. */
export function testFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pawl-mcp-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The tools of one server within this process: every call by name, as an agent would. */
export function toolsIn(
  root: string,
  over: Partial<Call> & Pick<McpProjectOptions, 'relaysAnswers' | 'allowsAgentCommands' | 'userFolder'> = {},
): ToolsIn {
  const { relaysAnswers = false, allowsAgentCommands = true, userFolder = join(root, '.no-user'), ...known } = over
  const project = openMcpProject({
    root,
    storePath: join(root, '.pawl', 'pawl.db'),
    relaysAnswers,
    allowsAgentCommands,
    userFolder,
  })
  onTestFinished(() => project.close())
  const signal = new AbortController().signal
  const by = { role: 'agent', name: 'test' } as const
  const call: Call = { project, signal, by, onProgress: () => {}, canElicit: false, inputResponses: undefined, ...known }
  return {
    project,
    call: async (name, args) => {
      const found = TOOLS.find((each) => each.name === name)
      if (!found) throw new Error(`There is no tool ${name}`)
      const result = await found.call(readArguments(name, found.input, args), call)
      return isInputRequiredResult(result)
        ? result
        : readArguments(`The result of ${name}`, found.output, JSON.parse(JSON.stringify(result)))
    },
  }
}

export interface ToolsIn {
  readonly project: McpProject
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what its tool answers.
  call(name: string, args: JsonObject): Promise<any>
}

/** Starts a server over a folder and says hello to it. */
export async function startClient(root: string, options: ClientOptions = {}): Promise<TestClient> {
  const { revision = '2026-07-28', elicit } = options
  const child = serverProcess(root, options)
  const gone = exited(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const notified: string[] = []
  const waiting = new Map<number, (message: JsonObject) => void>()
  let lastId = 0
  const write = (line: string): void => void child.stdin?.write(`${line}\n`)
  const capabilities: JsonObject = elicit ? { elicitation: {} } : {}
  const meta: JsonObject = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const message = JSON.parse(line) as JsonObject
    const resolve = 'method' in message ? undefined : waiting.get(Number(message['id']))
    if (resolve) resolve(message)
    else if ('id' in message && message['method'] === 'elicitation/create')
      write(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result: elicit?.(message['params'] as JsonObject) }))
    else notified.push(String(message['method']))
  })
  const isModern = revision === '2026-07-28'
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      const late = setTimeout(() => reject(new Error(`${method} got no answer`)), ANSWER_MS_MAX)
      waiting.set(id, (message) => {
        clearTimeout(late)
        resolve(message)
      })
      const whole = isModern ? { ...params, _meta: { ...meta, ...(params['_meta'] as JsonObject | undefined) } } : params
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }))
    })
  if (!isModern) {
    await request('initialize', { protocolVersion: revision, capabilities, clientInfo: CLIENT })
    write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  }
  const tool = async (name: string, args: JsonObject, answers: JsonObject = {}): Promise<ToolAnswer> => {
    const message = await request('tools/call', { name, arguments: args, ...answers })
    const result = message['result'] as JsonObject | undefined
    if (!result) return { isError: true, text: JSON.stringify(message['error']), data: undefined }
    if (result['resultType'] === 'input_required' && elicit) {
      const asked = Object.entries(result['inputRequests'] as Record<string, JsonObject>)
      const inputResponses = Object.fromEntries(asked.map(([key, { params }]) => [key, elicit(params as JsonObject)]))
      return tool(name, args, { inputResponses: inputResponses as JsonObject })
    }
    const [content] = (result['content'] ?? []) as { text?: string }[]
    return { isError: result['isError'] === true, text: content?.text ?? '', data: result['structuredContent'] as Json }
  }
  return {
    pid: child.pid ?? 0,
    tool,
    request,
    write,
    cancel: () =>
      write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: lastId, reason: 'test' } })),
    notified,
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    end: async () => {
      child.stdin?.end()
      return gone
    },
  }
}

const CLIENT = { name: 'test-client', version: '1' }
const ANSWER_MS_MAX = 20_000

function serverProcess(root: string, { relaysAnswers = false, allowsAgentCommands = true }: ClientOptions): ChildProcess {
  const flags = [...(relaysAnswers ? ['--relay-answers'] : []), ...(allowsAgentCommands ? ['--allow-agent-commands'] : [])]
  const args = [programFile('mcp'), 'mcp', ...flags]
  const env = { HOME: join(root, '.no-user'), PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', ...COMPILE_CACHE }
  return spawn(process.execPath, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] })
}

function exited(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve))
}
