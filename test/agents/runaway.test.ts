import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { budget, idle, iterationBudget, maxIterations, repeatedAction, spinningText } from '../../src/guards/index.ts'
import type { Guard } from '../../src/core/guard.ts'
import { counted, duration, money, thousands } from '../../src/core/wording.ts'
import type { ModelReply, ModelTurn } from '../../src/testing/model-server/index.ts'
import { agentStage } from './agent-session.ts'
import { type DrivenAgent, drivenAgents } from './agents.ts'
import { eventsOf } from './driven-project.ts'
import { drivenRun } from './driven-run.ts'
import { FAILING_PROJECT } from './failing-project.ts'

/** Agents that never come to an end, and how far over a limit each gets. `PAWL_EVIDENCE=write npm run test:agents -- runaway` writes the page. */

const TOKENS = 110

/** On a slow machine OpenCode takes seconds for a call. */
const WORK_MS_MAX = 220_000

/** A model that calls a tool again and again, and counts what it served. */
class RunawayModel {
  served = 0
  calls = 0
  readonly #command: (call: number) => string
  readonly #say: string | undefined

  constructor(command: (call: number) => string, say?: string) {
    this.#command = command
    this.#say = say
  }

  script(): (turn: ModelTurn) => ModelReply {
    return (turn) => {
      const shell = shellIn(turn.tools)
      if (!shell) return { say: 'A title' }
      this.calls++
      this.served += TOKENS
      const call = shell(this.#command(this.calls))
      return {
        ...(this.#say === undefined ? {} : { say: this.#say }),
        call,
        usage: { inputTokens: TOKENS - 10, outputTokens: 10 },
      }
    }
  }
}

type Shell = (command: string) => NonNullable<Extract<ModelReply, { call?: unknown }>['call']>

function shellIn(tools: readonly string[]): Shell | undefined {
  if (tools.includes('exec_command')) return (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 30_000 } })
  if (tools.includes('Bash')) return (command) => ({ name: 'Bash', input: { command, description: 'Looks' } })
  if (tools.includes('run_shell_command'))
    return (command) => ({ name: 'run_shell_command', input: { command, description: 'Looks' } })
  return tools.includes('bash') ? (command) => ({ name: 'bash', input: { command, description: 'Looks' } }) : undefined
}

/** They may run commands here, and OpenCode knows a price. */
const agents: readonly DrivenAgent[] = drivenAgents.map((agent) => {
  if (agent.name === 'claude') return { ...agent, options: { ...agent.options, arguments: ['--allowedTools', 'Bash'] } }
  if (agent.name !== 'opencode') return { ...agent, options: { ...agent.options, permissionMode: 'full' as const } }
  return {
    ...agent,
    settings: (url: string) =>
      Object.fromEntries(
        Object.entries(agent.settings(url)).map(([path, text]) => [
          path,
          text.replace('{"name":"Scripted"}', '{"name":"Scripted","cost":{"input":1000,"output":1000}}'),
        ]),
      ),
  }
})

interface Row {
  readonly agent: string
  readonly does: string
  readonly limit: string
  readonly spent: string
  readonly over: string
}

const rows: Row[] = []
/** Runs that were begun: the page is written only if each has its row. */
let begun = 0

interface Runaway {
  readonly model: RunawayModel
  readonly guards: readonly Guard[]
  /** Qwen Code has its own detector for this, and calls its end an error. */
  readonly mayStopItself?: boolean
}

async function ended(agent: DrivenAgent, { model, guards, mayStopItself = false }: Runaway) {
  begun++
  await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: () => model.script() })
  await using run = await drivenRun(agent, stage, { guards: [maxIterations(1), ...guards], agent: { timeoutMs: WORK_MS_MAX } })
  const outcome = await run.drive()
  const events = await run.events()
  const failures = eventsOf(events, 'work.failed').map(({ data }) => data.message)
  expect(failures.filter((message) => !mayStopItself || !message.includes('Loop detection halted the run'))).toEqual([])
  const [finished] = eventsOf(events, 'work.finished')
  // Kept, looked at and checked.
  expect(eventsOf(events, 'check.failed').length).toBeGreaterThan(1)
  return { outcome, events, endedBy: finished?.data.endedBy, data: finished?.data }
}

const each = (call: number): string => `echo ${call}`

/** Those that report each model call while they work. */
const reporting: ReadonlySet<string> = new Set(['claude', 'opencode', 'qwen'])

describe.each(agents)('$name that runs away', (agent) => {
  test('AGENTS-30 is ended at a budget of tokens if it reports each call: at most one call begins after the limit', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    context.skip(!reporting.has(agent.name), 'It reports its tokens only at the end.')
    const model = new RunawayModel(each)
    const limit = 1000
    const { endedBy, outcome } = await ended(agent, { model, guards: [budget({ tokensMax: limit })] })
    expect(endedBy).toMatchObject({ guard: 'budget', topic: 'tokens', severity: 'trip' })
    expect(outcome.status).toBe('stopped')
    rows.push({
      agent: agent.name,
      does: 'one tool for ever',
      limit: `${thousands(limit)} tokens`,
      spent: `${thousands(model.served)} tokens`,
      over: callsOver(model.served - limit),
    })
    // Of a message's output tokens, Claude Code shows one until the end.
    const shown = agent.name === 'claude' ? TOKENS - 9 : TOKENS
    expect(model.calls).toBeLessThanOrEqual(Math.ceil(limit / shown) + 1)
  })

  test('AGENTS-31 is ended at a budget of money if it knows its cost', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    context.skip(agent.name !== 'claude' && agent.name !== 'opencode', 'It does not report its cost.')
    const model = new RunawayModel(each)
    const limit = agent.name === 'claude' ? 0.02 : 2
    const { endedBy, data, outcome } = await ended(agent, { model, guards: [budget({ costUsdMax: limit })] })
    expect(endedBy).toMatchObject({ guard: 'budget', topic: 'cost', severity: 'trip' })
    expect(outcome.status).toBe('stopped')
    const spent = data?.costUsd ?? 0
    rows.push({
      agent: agent.name,
      does: 'one tool for ever',
      limit: money(limit),
      spent: money(spent),
      over: money(spent - limit),
    })
    expect(spent).toBeGreaterThanOrEqual(limit)
    expect(spent).toBeLessThanOrEqual(limit + (2 * spent) / model.calls)
  })

  test('AGENTS-32 is ended after so many messages, whatever it reports', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const model = new RunawayModel(each)
    const limit = 20
    const { endedBy } = await ended(agent, { model, guards: [iterationBudget({ messagesMax: limit })] })
    expect(endedBy).toMatchObject({ guard: 'iterationBudget', topic: 'messages' })
    rows.push({
      agent: agent.name,
      does: 'one tool for ever',
      limit: `${limit} messages and calls`,
      spent: `${model.calls} calls`,
      over: counted(Math.max(0, model.calls - limit), 'call'),
    })
    expect(model.calls).toBeLessThanOrEqual(limit + 2)
  })

  test('AGENTS-33 is ended by the default of repeatedAction when a call brings the same again and again', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const model = new RunawayModel(() => 'echo same')
    const mayStopItself = agent.name === 'qwen'
    const { endedBy, events } = await ended(agent, { model, guards: [repeatedAction()], mayStopItself })
    expect(endedBy?.guard).toBe(mayStopItself ? undefined : orItself(agent, 'repeatedAction'))
    expect(eventsOf(events, 'guard.nudged').map(({ data }) => data.guard)).toEqual(['repeatedAction'])
    rows.push({
      agent: agent.name,
      does: 'the same call for ever',
      limit: '30 same calls',
      spent: `${model.calls} calls`,
      over: endedBy ? counted(model.calls - 30, 'call') : 'it stopped itself',
    })
    expect(model.calls).toBeLessThanOrEqual(40)
  })

  test('AGENTS-34 is ended by the default of spinningText when it says the same again and again', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const text = 'I should look at the file once more before I change anything in it.'
    const model = new RunawayModel(each, `${text} `.repeat(10).trim())
    const { endedBy } = await ended(agent, { model, guards: [spinningText()] })
    expect(endedBy?.guard).toBe(orItself(agent, 'spinningText'))
    rows.push({
      agent: agent.name,
      does: 'the same words for ever',
      limit: '3,000 characters',
      spent: `${thousands(model.calls * text.length * 10)} characters`,
      over: endedBy ? `${counted(model.calls, 'call')} in all` : 'it stopped itself',
    })
    expect(model.calls).toBeLessThanOrEqual(60)
  })

  test('AGENTS-35 is ended by idle while a tool sleeps', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const model = new RunawayModel(() => 'node -e "setTimeout(() => undefined, 100000)"')
    // OpenCode prints nothing while it starts, which takes longer on a busy machine.
    const quietMsMax = agent.name === 'opencode' ? 40_000 : 12_000
    const { endedBy } = await ended(agent, { model, guards: [idle({ quietMsMax, severity: 'trip' })] })
    expect(endedBy).toMatchObject({ guard: 'idle' })
    // Seen once: Claude Code made a second call beside the first, while the tool slept.
    expect(model.calls).toBeLessThanOrEqual(2)
    expect(model.calls).toBeGreaterThan(0)
    rows.push({
      agent: agent.name,
      does: 'a tool that sleeps',
      limit: `${duration(quietMsMax)} without a sign`,
      spent: `${duration(Number(endedBy?.evidence.measures['quietMs']))} without a sign`,
      over: duration(Number(endedBy?.evidence.measures['quietMs']) - quietMsMax),
    })
  })

  test('LIMIT-24 is ended by idle with a child process that spends: no agent reports what its tools spend', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using other = await spendingServer()
    const model = new RunawayModel(() => `node -e "${childSource(other.url)}"`)
    const quietMsMax = agent.name === 'opencode' ? 40_000 : 12_000
    const guards = [budget({ tokensMax: 1000, costUsdMax: 1 }), idle({ quietMsMax, severity: 'trip' })]
    const { endedBy } = await ended(agent, { model, guards })
    expect(endedBy).toMatchObject({ guard: 'idle' })
    const { calls } = other
    expect(calls).toBeGreaterThan(5)
    rows.push({
      agent: agent.name,
      does: 'a child process that spends',
      limit: `1,000 tokens, ${duration(quietMsMax)} without a sign`,
      spent: `${thousands(calls * TOKENS)} tokens by the child`,
      over: 'not seen as tokens; ended with the agent as idle',
    })
    // It was ended with the agent.
    await new Promise((resolve) => setTimeout(resolve, 2 * CHILD_PAUSE_MS + 500))
    expect(other.calls).toBeLessThanOrEqual(calls + 1)
  })
})

const CHILD_PAUSE_MS = 200

/** A model that only the child process asks. */
async function spendingServer() {
  const seen = { calls: 0 }
  const server = createServer((_request, response) => {
    seen.calls++
    response.end('{}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    get calls() {
      return seen.calls
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

/** Asks it again and again, for two minutes at most. */
function childSource(url: string): string {
  return `const end = Date.now() + 120000; const ask = () => { if (Date.now() < end) fetch('${url}').then(() => setTimeout(ask, ${CHILD_PAUSE_MS})) }; ask()`
}

/** Gemini CLI has its own detector for this, and ends. */
function orItself({ name }: DrivenAgent, guard: string): string | undefined {
  return name === 'gemini' ? undefined : guard
}

function callsOver(tokens: number): string {
  return tokens <= 0 ? 'nothing' : `${thousands(tokens)} tokens, ${counted(Math.ceil(tokens / TOKENS), 'model call')}`
}

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'evidence', 'runaway-agents.md')

afterAll(async () => {
  if (process.env['PAWL_EVIDENCE'] !== 'write') return
  if (rows.length < begun) throw new Error(`${begun - rows.length} runs have no row, so the page stays as it was.`)
  const lines = rows.map(({ agent, does, limit, spent, over }) => `| ${agent} | ${does} | ${limit} | ${spent} | ${over} |`)
  const versions = agents
    .filter(({ missing }) => missing === undefined)
    .map(({ name, program }) => `${name} ${versionOf(program)}`)
  await writeFile(PAGE, `${HEAD}${lines.toSorted().join('\n')}\n\nAll rows are from one run, with ${versions.join(', ')}.\n`)
})

function versionOf(program: string): string {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: tmpdir() }
  return /\d+(?:\.\d+)+/.exec(execFileSync(program, ['--version'], { env, encoding: 'utf8' }))?.[0] ?? 'of an unknown version'
}

const HEAD = `# Runaway agents

Real agents that never come to an end, driven by Pawl with a scripted model on this machine. Each model call is ${TOKENS} tokens. "Spent" is what the model served, or the cost that the agent reported.
\`PAWL_EVIDENCE=write npm run test:agents -- runaway\` writes this page. An agent that isn't installed has no row.

Claude Code shows 1 of the 10 output tokens of each message until it ends, so a limit of tokens is noticed that much later. The call that reaches a limit counts as over it; at most one more had begun. It stops itself at a limit of money. Codex and Gemini CLI report tokens only at the end. No agent reports what a program spends that its tools start: a budget doesn't see it, and time and \`idle\` bound it.

| agent | what it does | limit | spent | over by |
|---|---|---|---|---|
`
