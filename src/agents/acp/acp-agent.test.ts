import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isRunning, temporaryFolder } from '../../../test/support/process-support.ts'
import { COMPILE_CACHE } from '../../../test/support/programs.ts'
import type { AgentAsk } from '../../core/agent-ask.ts'
import type { ProcessIdentity } from '../../core/event-data.ts'
import type { AskAnswer } from '../../process/effect-context.ts'
import type { WorkRequest } from '../agent.ts'
import { acpAgent, type AcpAgentOptions } from './acp-agent.ts'

const FIXTURE = join(import.meta.dirname, '../../../test/fixtures/agents/acp-agent.ts')

interface Setting {
  readonly script: string
  readonly options?: Partial<AcpAgentOptions>
  readonly variables?: Readonly<Record<string, string>>
  readonly request?: Partial<WorkRequest>
  readonly signal?: AbortSignal
  readonly onProgress?: (line: string) => void
  readonly ask?: (ask: AgentAsk, byPolicy?: string) => Promise<AskAnswer | undefined>
}

async function work({ script, options = {}, variables = {}, request = {}, signal, ask, onProgress }: Setting) {
  const cwd = request.cwd ?? folder()
  const starts: (ProcessIdentity | undefined)[] = []
  const lines: string[] = []
  const agent = acpAgent({
    command: [process.execPath, FIXTURE],
    name: 'scripted',
    timeoutMs: 60_000,
    variables: { ACP_SCRIPT: script, ...COMPILE_CACHE, ...variables },
    ...options,
  } as AcpAgentOptions)
  const result = await agent.work(
    { run: 'fix-add', iteration: 1, role: 'coder', brief: 'Make add add.', cwd, ...request },
    {
      signal: signal ?? new AbortController().signal,
      started: async (process) => void starts.push(process),
      progress: (line) => {
        lines.push(line)
        onProgress?.(line)
      },
      ...(ask ? { ask } : {}),
    },
  )
  return { result, starts, lines, cwd, agent, file: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

function folder(): string {
  const cwd = join(temporaryFolder(), 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'add.js'), 'export const add = (a, b) => a - b\n')
  return cwd
}

const nobody = async () => undefined
const broken = () => Promise.reject(new Error('nothing can be recorded'))

describe('a turn', () => {
  test('ACP-1 the brief is the prompt; words, tools, files and cost are reported; the start with its process comes first', async () => {
    const { result, starts, lines, file } = await work({ script: 'fix' })
    expect(result).toMatchObject({
      status: 'finished',
      summary: 'It adds now.',
      words: 'It adds now.',
      session: expect.stringMatching(/^session-/),
      costUsd: 0.25,
      sessionUsed: { costUsd: 0.25 },
      files: ['add.js'],
      actions: [{ name: 'edit', input: expect.any(String), result: expect.any(String) }],
      output: { text: '[edit] Edit add.js: completed\nIt adds now.', bytesCut: 0 },
    })
    expect(file('add.js')).toBe('export const add = (a, b) => a + b\n')
    expect(starts).toEqual([expect.objectContaining({ pid: expect.any(Number) })])
    expect(lines).toEqual(['Plan 0 of 1 done: Mend add', 'Edit add.js', 'It adds', 'It adds now.'])
    expect(isRunning(starts[0]?.pid ?? 0)).toBe(false)
  })

  test('ACP-2 an agent that is not there is a mistake in the settings, before and at work', async () => {
    const { result, agent, starts } = await work({ script: 'fix', options: { command: ['no-such-agent-here', '--acp'] } })
    expect(result).toMatchObject({
      status: 'failed',
      fault: 'config',
      fix: expect.stringContaining('Install no-such-agent-here'),
    })
    expect(starts).toEqual([undefined])
    expect(await agent.ready?.('/')).toMatchObject({ fault: 'config' })
  })

  test('ACP-3 a chosen mode is set; one that the agent does not have is a mistake in the settings', async () => {
    const { result } = await work({ script: 'crash', options: { mode: 'bold' } })
    expect(result).toMatchObject({ message: expect.stringContaining('mode bold') })
    const wrong = await work({ script: 'fix', options: { mode: 'reckless' } })
    expect(wrong.result).toMatchObject({
      status: 'failed',
      fault: 'config',
      message: expect.stringContaining('no mode "reckless": there are careful, bold'),
    })
  })

  test('ACP-33 a chosen model is set; one that the agent does not have, or none at all, is a mistake in the settings', async () => {
    const chosen = await work({ script: 'models-crash', options: { model: 'large' } })
    expect(chosen.result).toMatchObject({ message: expect.stringContaining('model large') })
    const refusals = [
      await work({ script: 'models', options: { model: 'huge' } }),
      await work({ script: 'plain', options: { model: 'huge' } }),
      await work({ script: 'plain', options: { mode: 'bold' } }),
    ]
    expect(refusals.map(({ result }) => result)).toMatchObject([
      { status: 'failed', fault: 'config', message: expect.stringContaining('It has no model "huge": there are small, large.') },
      { status: 'failed', fault: 'config', message: expect.stringContaining('does not let its model be set over the protocol') },
      { status: 'failed', fault: 'config', message: expect.stringContaining('does not let its mode be set over the protocol') },
    ])
  })

  test('ACP-34 separate messages, thoughts and tools have their own lines', async () => {
    const { result, lines } = await work({ script: 'messages' })
    expect(lines).toEqual(['Hm', 'I look', 'I look first.', 'Look', 'I saw it.', 'A second message'])
    expect(result).toMatchObject({
      words: 'I saw it.\nA second message',
      output: { text: 'I look first.\n[read] Look: completed\nI saw it.\nA second message' },
    })
  })

  test('ACP-4 whose fault it is: limit, log-in, version, refusal, its own error', async () => {
    const endings = await Promise.all(
      ['limited', 'auth', 'other-version', 'refusal', 'broken'].map(async (script) => (await work({ script })).result),
    )
    expect(endings).toMatchObject([
      { status: 'failed', fault: 'provider-limit', retryAt: expect.any(Number) },
      { status: 'failed', fault: 'config', message: expect.stringContaining('logged in') },
      { status: 'failed', fault: 'config', message: expect.stringContaining('version 2') },
      { status: 'failed', fault: 'agent', message: expect.stringContaining('refused to continue') },
      { status: 'failed', fault: 'agent', message: expect.stringContaining('the model said nothing') },
    ])
  })

  test('ACP-5 tokens that an agent puts beside its answer are counted', async () => {
    expect((await work({ script: 'counts' })).result).toMatchObject({ status: 'finished', tokens: 111 })
  })

  test('ACP-6 it sees only the variables it is given', async () => {
    process.env['ACP_UNRELATED'] = 'unrelated'
    const { result } = await work({ script: 'environment' })
    delete process.env['ACP_UNRELATED']
    const text = 'output' in result ? (result.output?.text ?? '') : ''
    expect(JSON.parse(text)).toMatchObject({ ACP_SCRIPT: 'environment', PAWL_RUN: 'fix-add', PAWL_ROLE: 'coder' })
    expect(text).not.toContain('unrelated')
  })
})

describe('files', () => {
  test('ACP-7 files outside the folder are neither read nor written, by way of links neither, and hooks of git are left alone', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, '..', 'secret.txt'), 'keep out')
    mkdirSync(join(cwd, '..', 'elsewhere'))
    symlinkSync(join(cwd, '..', 'elsewhere'), join(cwd, 'link'))
    const { result } = await work({ script: 'outside', request: { cwd } })
    const text = 'output' in result ? (result.output?.text ?? '') : ''
    expect(text.split('\n').filter((line) => line.endsWith(': done'))).toEqual([])
    expect(text).toContain('outside the folder')
    expect(readFileSync(join(cwd, '..', 'secret.txt'), 'utf8')).toBe('keep out')
    expect(readdirSync(join(cwd, '..', 'elsewhere'))).toEqual([])
    expect(existsSync(join(cwd, '.git'))).toBe(false)
  })
})

describe('agents that misbehave', () => {
  test('ACP-8 one that hangs is ended at the time limit with all that it started', async () => {
    const { result, starts, file } = await work({ script: 'hang', options: { timeoutMs: 2500 } })
    expect(result).toMatchObject({ status: 'timed-out', fault: 'agent', message: expect.stringContaining('2.5 s') })
    expect(file('half.txt')).toBe('half')
    expect(isRunning(starts[0]?.pid ?? 0)).toBe(false)
    expect(isRunning(Number(file('child.pid')))).toBe(false)
  })

  test('ACP-9 an interrupted one gets a cancel, and is ended', async () => {
    const stop = new AbortController()
    const { result, file } = await work({
      script: 'polite',
      signal: stop.signal,
      onProgress: (line) => (line === 'Working.' ? stop.abort() : undefined),
    })
    expect(result).toMatchObject({ status: 'aborted', isUsagePartial: true, session: expect.any(String) })
    expect(file('cancelled.txt')).toBe('yes')
  })

  test('ACP-10 one that crashes in mid-edit has failed, with the last it said; what it changed stays', async () => {
    const { result, file } = await work({ script: 'crash' })
    expect(result).toMatchObject({
      status: 'failed',
      fault: 'agent',
      exitCode: 3,
      message: expect.stringMatching(/code 3 in the middle[\s\S]*panic: out of ideas/),
    })
    expect(file('half.txt')).toBe('half')
  })

  test('ACP-11 one that floods fills neither memory nor the journal', async () => {
    const { result } = await work({ script: 'flood' })
    expect(result).toMatchObject({ status: 'finished', summary: expect.stringMatching(/The end\.$/) })
    const { text = '', bytesCut = 0 } = ('output' in result && result.output) || {}
    expect(text.length).toBeLessThan(600 * 1024)
    expect(bytesCut).toBeGreaterThan(30 * 1024 * 1024)
  })

  test('ACP-12 lines that are no messages are passed over', async () => {
    const { result, file } = await work({ script: 'malformed' })
    expect(result).toMatchObject({ status: 'finished', output: { text: expect.stringContaining('Welcome to the agent!') } })
    expect(file('add.js')).toContain('a + b')
  })
})

describe('sessions', () => {
  test('ACP-13 a session continues where the agent can load it, and its history is not reported again', async () => {
    const cwd = folder()
    const variables = { ACP_SESSIONS: join(cwd, '..', 'sessions') }
    const first = await work({ script: 'fix', variables, request: { cwd } })
    const session = 'session' in first.result ? (first.result.session ?? '') : ''
    const second = await work({ script: 'fix', variables, request: { cwd, session } })
    expect(second.result).toMatchObject({ status: 'finished', session, summary: 'It adds now.' })
    expect('output' in second.result && second.result.output?.text).toMatch(/^I remember\./)
  })

  test('ACP-14 set to continue it continues with the session of its last work, and reports the cost as a difference', async () => {
    const cwd = folder()
    const variables = { ACP_SESSIONS: join(cwd, '..', 'sessions') }
    const first = await work({ script: 'fix', variables, request: { cwd } })
    const id = 'session' in first.result ? (first.result.session ?? '') : ''
    const lastSession = { id, used: { costUsd: 0.1 } }
    const request = { cwd, lastSession }
    const { result } = await work({ script: 'fix', variables, request, options: { session: 'continue' } })
    expect(result).toMatchObject({ session: id, sessionUsed: { costUsd: 0.25 } })
    expect('costUsd' in result && result.costUsd).toBeCloseTo(0.15)
    const fresh = await work({ script: 'fix', variables, request })
    expect(fresh.result).toMatchObject({ costUsd: 0.25 })
  })

  test('ACP-15 a session that is gone, or an agent that cannot continue with one, starts over, and the work tells so', async () => {
    const gone = await work({ script: 'fix', variables: { ACP_SESSIONS: temporaryFolder() }, request: { session: 'gone' } })
    expect(gone.result).toMatchObject({
      status: 'finished',
      session: expect.stringMatching(/^session-/),
      summary: expect.stringMatching(
        /^Its earlier session could not be taken up \(.*gone.*\), so a new one began\.\nIt adds now\.$/,
      ),
      words: 'It adds now.',
    })
    expect(gone.lines.join('\n')).toContain('so a new one began')
    const unable = await work({ script: 'fix', request: { session: 'gone' } })
    expect(unable.result).toMatchObject({
      status: 'finished',
      session: expect.stringMatching(/^session-/),
      summary: 'It cannot take up an earlier session, so a new one began.\nIt adds now.',
    })
    const failed = await work({ script: 'refusal', request: { session: 'gone' } })
    expect(failed.result).toMatchObject({ status: 'failed', message: expect.stringMatching(/^It cannot take up .*\n.*refused/) })
  })

  test('ACP-44 an agent that says it can resume and knows no such request is asked to load its session', async () => {
    const cwd = folder()
    const variables = { ACP_SESSIONS: join(cwd, '..', 'sessions') }
    const first = await work({ script: 'resumes-fix', variables, request: { cwd } })
    const session = 'session' in first.result ? (first.result.session ?? '') : ''
    const second = await work({ script: 'resumes-fix', variables, request: { cwd, session } })
    expect(second.result).toMatchObject({ status: 'finished', session, summary: 'It adds now.' })
    expect('output' in second.result && second.result.output?.text).toMatch(/^I remember\./)
  })
})

describe('what it asks', () => {
  test('ACP-16 a request for leave is handed on with its own answers, and the agent gets the one that was chosen', async () => {
    const asked: AgentAsk[] = []
    const { result, file } = await work({
      script: 'ask',
      ask: async (ask, byPolicy) => {
        expect(byPolicy).toBeUndefined()
        asked.push(ask)
        return { option: 'go' }
      },
    })
    expect(asked).toMatchObject([
      {
        kind: 'execute',
        title: 'touch marker',
        options: [
          { id: 'go', label: 'Allow once', kind: 'allow-once' },
          { id: 'go-on', label: 'Always allow', kind: 'allow-always' },
          { id: 'stop', label: 'Reject', kind: 'deny-once' },
        ],
      },
    ])
    expect(result).toMatchObject({ status: 'finished' })
    expect(file('marker.txt')).toBe('go\n')
  })

  test('ACP-17 if nobody can answer now the work ends as asked, with its session if it can continue; changed files stay', async () => {
    const { result, file, starts } = await work({ script: 'ask', ask: nobody })
    expect(result).toMatchObject({ status: 'asked', ask: { title: 'touch marker' } })
    expect(result).not.toHaveProperty('session')
    expect(file('before.txt')).toContain('changed before')
    expect(isRunning(starts[0]?.pid ?? 0)).toBe(false)
    const able = await work({ script: 'ask', ask: nobody, variables: { ACP_SESSIONS: temporaryFolder() } })
    expect(able.result).toMatchObject({ status: 'asked', session: expect.stringMatching(/^session-/) })
  })

  test('ACP-19 the answer of a policy is named with what is asked', async () => {
    const told: (string | undefined)[] = []
    const ask = async (_ask: AgentAsk, byPolicy?: string) => {
      told.push(byPolicy)
      return { option: byPolicy ?? 'stop' }
    }
    await work({ script: 'ask', options: { permissions: { execute: 'allow' } }, ask })
    expect(told).toEqual(['go'])
  })

  test('ACP-20 where work cannot be put aside the policy answers, and otherwise the answer is no', async () => {
    const refused = await work({ script: 'ask' })
    expect(refused.result).toMatchObject({ status: 'finished', summary: expect.stringContaining('I was told: stop') })
    const allowed = await work({ script: 'ask', options: { permissions: 'allow' } })
    expect(allowed.result).toMatchObject({ summary: expect.stringContaining('I was told: go') })
  })

  test('ACP-21 a question with a form has its values as options; an answer fills the form', async () => {
    const asked: AgentAsk[] = []
    const { result } = await work({
      script: 'elicit',
      ask: async (ask) => {
        asked.push(ask)
        return { option: 'sqlite' }
      },
    })
    expect(asked).toMatchObject([
      {
        kind: 'question',
        title: 'Which database?',
        detail: 'There are two.',
        options: [{ id: 'postgres' }, { id: 'sqlite' }, { id: 'decline', kind: 'deny-once' }],
      },
    ])
    expect(result).toMatchObject({ summary: '{"action":"accept","content":{"database":"sqlite"}}' })
  })

  test('ACP-22 an ask that fails ends the agent, and the error is reported', async () => {
    const { result, starts } = await work({ script: 'ask', ask: broken })
    expect(result).toMatchObject({ status: 'failed', message: expect.stringContaining('nothing can be recorded') })
    expect(isRunning(starts[0]?.pid ?? 0)).toBe(false)
  })
})

test('ACP-23 options that cannot work are refused at once', () => {
  expect(() => acpAgent({ command: [] })).toThrow('must not be empty')
  expect(() => acpAgent({ command: ['x'], permissions: 'maybe' as never })).toThrow('ask, allow or deny')
  expect(() => acpAgent({ command: ['x'], session: 'old' as never })).toThrow('fresh or continue')
})
