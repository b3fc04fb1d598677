import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/process-support.ts'
import { agentReview } from '../../checks/agent-review.ts'
import type { Json } from '../../core/json.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { createLoop } from '../../surfaces/library/create-loop.ts'
import { type ModelReply, modelServer, type ModelTurn, sinceUser } from '../../testing/model-server/index.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import type { Agent, WorkRequest } from '../agent.ts'
import { commandAgent } from '../command-agent.ts'
import type { AiSdkAgentOptions } from '../agent-settings.ts'
import { aiSdkAgent, modelAgent } from './ai-sdk-agent.ts'

type Call = { readonly name: string; readonly input: Json }

function folder(): string {
  const cwd = join(temporaryFolder(), 'project')
  mkdirSync(join(cwd, 'src'), { recursive: true })
  writeFileSync(join(cwd, 'src', 'add.js'), 'export const add = (a, b) => a - b\n')
  return cwd
}

/** A model that makes these calls, one after another, and then says so. */
function calls(...wanted: readonly Call[]): (turn: ModelTurn) => ModelReply {
  return (turn) => {
    const made = sinceUser(turn).flatMap((message) => message.calls).length
    const call = wanted[made]
    return call ? { call } : { say: 'It adds now.' }
  }
}

const model = (url: string) => createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'dummy' })('scripted-1')

interface Setting {
  readonly reply: (turn: ModelTurn) => ModelReply | Promise<ModelReply>
  readonly cwd?: string
  readonly options?: Partial<AiSdkAgentOptions>
  readonly request?: Partial<WorkRequest>
  readonly signal?: AbortSignal
}

async function work({ reply, cwd = folder(), options = {}, request = {}, signal }: Setting) {
  await using server = await modelServer({ reply })
  const agent = aiSdkAgent({ model: model(server.url), name: 'scripted', timeoutMs: 30_000, ...options })
  const ended = await run(agent, { cwd, ...request }, signal)
  return { ...ended, cwd, requests: server.requests }
}

async function run(agent: Agent, request: Partial<WorkRequest>, signal = new AbortController().signal) {
  const lines: string[] = []
  let starts = 0
  const result = await agent.work(
    { run: 'fix-add', iteration: 1, role: 'coder', brief: 'Make add add.', cwd: '.', ...request },
    { signal, started: async () => void starts++, progress: (line) => void lines.push(line) },
  )
  return { result, lines, starts }
}

const EDIT: Call = { name: 'edit_file', input: { path: 'src/add.js', old_text: 'a - b', new_text: 'a + b' } }

const slow = async (turn: ModelTurn): Promise<ModelReply> => {
  await new Promise((resolve) => setTimeout(resolve, 400))
  return calls(EDIT)(turn)
}

describe('as a writer', () => {
  test('SDK-1 it works with tools of ours, and says what it did, read and used', async () => {
    const { result, lines, starts, cwd, requests } = await work({
      reply: calls(
        { name: 'list_files', input: {} },
        { name: 'search_files', input: { text: 'add =' } },
        { name: 'read_file', input: { path: 'src/add.js' } },
        EDIT,
      ),
    })
    expect(readFileSync(join(cwd, 'src/add.js'), 'utf8')).toBe('export const add = (a, b) => a + b\n')
    expect(result).toMatchObject({
      status: 'finished',
      summary: 'It adds now.',
      words: 'It adds now.',
      tokens: 5 * 110,
      files: ['src/add.js'],
      model: 'scripted-1',
    })
    expect(result).not.toHaveProperty('costUsd')
    expect('actions' in result && result.actions?.map(({ name }) => name)).toEqual([
      'list_files',
      'search_files',
      'read_file',
      'edit_file',
    ])
    expect(lines).toEqual(['.', '. for add =', 'src/add.js', 'src/add.js', 'It adds now.'])
    expect(starts).toBe(1)
    const told = requests.at(-1)?.turn?.messages.flatMap(({ results }) => results.map(({ text }) => text))
    expect(told).toEqual([
      'src/add.js',
      'src/add.js:1: export const add = (a, b) => a - b',
      'export const add = (a, b) => a - b\n',
      'Edited src/add.js.',
    ])
    expect(requests[0]?.turn?.messages.some(({ text }) => text.includes('Make add add.'))).toBe(true)
  })

  test('SDK-2 nothing outside the folder is read or written, not even through links; the model hears of a refusal', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, '..', 'secret.txt'), 'keep out')
    symlinkSync(join(cwd, '..'), join(cwd, 'up'))
    const wishes: readonly Call[] = [
      { name: 'read_file', input: { path: '../secret.txt' } },
      { name: 'read_file', input: { path: 'up/secret.txt' } },
      { name: 'write_file', input: { path: 'up/new.txt', content: 'x' } },
      { name: 'write_file', input: { path: '/tmp/../etc/pawl-test', content: 'x' } },
      { name: 'write_file', input: { path: '.git/hooks/pre-commit', content: 'x' } },
      { name: 'write_file', input: { path: 'sub/.GIT/config', content: 'x' } },
      { name: 'list_files', input: { path: '..' } },
      { name: 'search_files', input: { text: 'keep', path: 'up' } },
      { name: 'edit_file', input: { path: 'src/none.js', old_text: 'a', new_text: 'b' } },
      { name: 'edit_file', input: { path: 'src/add.js', old_text: 'a', new_text: 'b' } },
    ]
    const { requests } = await work({ reply: calls(...wishes), cwd })
    const told = requests.at(-1)?.turn?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? []
    expect(told).toHaveLength(wishes.length)
    expect(told.every((text) => text.startsWith('Error: '))).toBe(true)
    expect(told.join('\n')).not.toContain('keep out')
    expect(existsSync(join(cwd, '..', 'new.txt'))).toBe(false)
    expect(existsSync(join(cwd, '.git'))).toBe(false)
  })

  test('SDK-3 it stops at its limit of steps, and what it used is counted', async () => {
    const { result, requests } = await work({
      reply: () => ({ call: { name: 'list_files', input: {} } }),
      options: { stepsMax: 3 },
    })
    expect(requests).toHaveLength(3)
    expect(result).toMatchObject({ status: 'failed', fault: 'agent', message: expect.stringContaining('3 steps'), tokens: 330 })
  })

  test('SDK-4 cost comes from given prices, or from a provider that reports it', async () => {
    const prices = { inputUsdPerMillion: 3, outputUsdPerMillion: 15 }
    const { result } = await work({ reply: calls(), options: { prices } })
    expect('costUsd' in result && result.costUsd).toBeCloseTo((100 * 3 + 10 * 15) / 1_000_000, 12)
  })

  test('SDK-5 it works within this process, and only the program that has the model can resume it', async () => {
    await using server = await modelServer({ reply: calls() })
    const agent = aiSdkAgent({ model: model(server.url) })
    const loop = createLoop({
      loop: taskLoop({ goal: 'x' }),
      agent: commandAgent({ command: ['true'] }),
      checks: [agentReview({ agent })],
      workspace: folderWorkspace({ path: folder() }),
      store: memoryStore(),
      program: 'mine.ts',
    })
    await loop.run('bound')
    expect((await loop.events('bound'))[0]?.data).toMatchObject({ config: { program: 'mine.ts' } })
    expect(agent).toMatchObject({
      isInProcess: true,
      model: 'scripted-1',
      spec: { name: 'custom', settings: { name: 'scripted-1' } },
    })
  })
})

describe('as a reviewer', () => {
  test('SDK-6 it may look and not change, and its verdict is read', async () => {
    const verdict = {
      verdict: 'reject',
      summary: 'No.',
      items: [{ severity: 'major', file: 'src/add.js', line: 1, message: 'It subtracts.' }],
    }
    await using server = await modelServer({ reply: () => ({ say: JSON.stringify(verdict) }) })
    const review = agentReview({ agent: aiSdkAgent({ model: model(server.url) }) })
    const result = await review.run(
      { run: 'fix-add', iteration: 1, cwd: folder(), tree: 't', review: { brief: 'Make add add.', diff: '' } },
      { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined },
    )
    expect(result).toMatchObject({
      status: 'failed',
      summary: 'No.',
      failures: [{ message: expect.stringContaining('subtracts') }],
    })
    expect(server.requests[0]?.turn?.tools).toEqual(['read_file', 'list_files', 'search_files'])
  })
})

describe('when it goes wrong', () => {
  test.each<[string, ModelReply, object]>([
    [
      'a limit',
      { fault: 'rate-limited', resetInSeconds: 3600, isUsedUp: true },
      { fault: 'provider-limit', retryAt: expect.any(Number) },
    ],
    ['a refused key', { fault: 'unauthorized' }, { fault: 'config', fix: expect.any(String) }],
    ['a broken provider', { fault: 'server-error' }, { fault: 'provider-limit' }],
    ['an answer that is none', { fault: 'nonsense', kind: 'not-json' }, { fault: 'agent' }],
  ])(
    'SDK-7 whose fault it is: %s',
    async (_what, reply, expected) => {
      await using server = await modelServer({ reply: () => reply })
      const { result } = await run(aiSdkAgent({ model: model(server.url), name: 'scripted', retriesMax: 0 }), { cwd: folder() })
      expect(result).toMatchObject({ status: 'failed', ...expected })
    },
    30_000,
  )

  test('SDK-7 whose fault it is: a provider that is not there', async () => {
    const { url } = await closedServer()
    const { result } = await run(aiSdkAgent({ model: model(url), retriesMax: 0 }), { cwd: folder() })
    expect(result).toMatchObject({
      status: 'failed',
      fault: 'provider-limit',
      message: expect.stringContaining('cannot be reached'),
      fix: 'See that the network and the address of the provider are right.',
    })
  })

  test('SDK-8 DRIVE-60 the time limit and an interruption end it at once, and nothing is changed afterwards', async () => {
    const late = await work({ reply: slow, options: { timeoutMs: 200 } })
    expect(late.result).toMatchObject({ status: 'timed-out', fault: 'agent', message: expect.stringContaining('0.2 s') })
    const last = await work({ reply: slow, request: { deadlineMs: 200 } })
    expect(last.result).toMatchObject({ message: 'No more time was left for scripted: it was ended after 200 ms of work.' })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 100)
    const cut = await work({ reply: slow, signal: stop.signal })
    expect(cut.result).toEqual({ status: 'aborted', isUsagePartial: true })
    expect(readFileSync(join(cut.cwd, 'src/add.js'), 'utf8')).toContain('a - b')
  })

  test('DRIVE-51 reports what it used until it was interrupted', async () => {
    const stop = new AbortController()
    const reply = async (turn: ModelTurn): Promise<ModelReply> => {
      if (sinceUser(turn).length === 0) return { call: { name: 'read_file', input: { path: 'src/add.js' } } }
      stop.abort()
      return slow(turn)
    }
    const { result } = await work({ reply, signal: stop.signal })
    expect(result).toMatchObject({ status: 'aborted', tokens: 110, model: 'scripted-1' })
  })

  test('SDK-14 work that was cut off says that more was used than it told; work that came to its end does not', async () => {
    const { result: late } = await work({ reply: slow, options: { timeoutMs: 200 } })
    expect(late).toMatchObject({ status: 'timed-out', isUsagePartial: true })
    const { result: done } = await work({ reply: calls(EDIT) })
    expect(done).toMatchObject({ status: 'finished', tokens: expect.any(Number) })
    expect(done).not.toHaveProperty('isUsagePartial')
  })
})

describe('from data', () => {
  test('SDK-9 a model behind an address is named with the variable that holds its key', async () => {
    const cwd = folder()
    await using server = await modelServer({ reply: calls(EDIT) })
    const agent = modelAgent({ baseUrl: `${server.url}/v1`, model: 'scripted-2', key: 'PAWL_TEST_MODEL_KEY' })
    expect(agent.spec).toMatchObject({ name: 'ai-sdk', settings: { model: 'scripted-2', key: 'PAWL_TEST_MODEL_KEY' } })
    expect((await run(agent, { cwd })).result).toMatchObject({
      status: 'failed',
      fault: 'config',
      message: expect.stringContaining('PAWL_TEST_MODEL_KEY'),
    })
    process.env['PAWL_TEST_MODEL_KEY'] = 'the-key'
    const { result } = await run(agent, { cwd })
    delete process.env['PAWL_TEST_MODEL_KEY']
    expect(result).toMatchObject({ status: 'finished' })
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer the-key')
    expect(readFileSync(join(cwd, 'src/add.js'), 'utf8')).toContain('a + b')
  })

  test('SDK-10 a module file exports a model, or a function that gives one; anything else is an error that names the file', async () => {
    const cwd = folder()
    await using server = await modelServer({ reply: calls() })
    const library = import.meta.resolve('@ai-sdk/openai-compatible')
    const make = `createOpenAICompatible({ name: 's', baseURL: '${server.url}/v1' })('from-module')`
    writeFileSync(
      join(cwd, 'model.mjs'),
      `import { createOpenAICompatible } from '${library}'\nexport default async () => ${make}\n`,
    )
    writeFileSync(join(cwd, 'none.mjs'), 'export default 7\n')
    expect((await run(modelAgent({ module: './model.mjs' }), { cwd })).result).toMatchObject({
      status: 'finished',
      model: 'from-module',
    })
    const wrong = [
      await run(modelAgent({ module: './none.mjs' }), { cwd }),
      await run(modelAgent({ module: './gone.mjs' }), { cwd }),
    ]
    expect(wrong.map(({ result }) => result)).toMatchObject([
      { fault: 'config', message: expect.stringContaining('none.mjs exports no model') },
      { fault: 'config', message: expect.stringContaining('gone.mjs could not be loaded') },
    ])
  })

  test('SDK-11 options that cannot work are refused at once', () => {
    expect(() => modelAgent({ baseUrl: 'nowhere', model: 'm' })).toThrow('baseUrl must be an address')
    expect(() => modelAgent({} as never)).toThrow('A model needs `module`')
    expect(() => modelAgent({ module: './m.mjs', stepsMax: 0 })).toThrow('stepsMax')
  })
})

async function closedServer(): Promise<{ readonly url: string }> {
  const server = await modelServer({ reply: () => ({ say: '' }) })
  await server.close()
  return { url: server.url }
}
