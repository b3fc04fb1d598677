import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Usage } from '../../core/event-data.ts'
import { plantedSecrets } from '../../testing/planted-secrets.ts'
import type { AgentSession } from '../agent.ts'
import { codex } from '../codex.ts'
import { gemini } from '../gemini.ts'
import { opencode } from '../opencode.ts'
import { qwen } from '../qwen.ts'
import { claudeStream } from './claude-stream.ts'
import { readStream } from './stream-reading.ts'
import { detailsOf, usageGap, withoutSplitSecrets } from './stream-result.ts'

function recorded(what: string): string {
  return readFileSync(join(import.meta.dirname, '..', 'fixtures', `claude-${what}.jsonl`), 'utf8')
}

const SESSION = { sum: '0ac84c4b-5774-4496-a688-77b75c7ae152', call: '97961945-4e19-4c8b-9dc1-8a35c6570b53' }

/** What the driver makes of a stream of Claude Code in a session that had used so much. */
async function counted(
  text: string,
  id: string,
  used?: Usage,
  unsettled?: Usage,
): Promise<Usage & { readonly sessionUsed?: Usage }> {
  const lastSession = { id, ...(used === undefined ? {} : { used }), ...(unsettled === undefined ? {} : { unsettled }) }
  const request = { run: 'r', iteration: 2, role: 'coder', brief: '', cwd: '/project', lastSession }
  const { costUsd, tokens, sessionUsed } = await detailsOf(readStream(claudeStream, text), request, id)
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(sessionUsed === undefined ? {} : { sessionUsed }),
  }
}

/** The same stream, with its last event changed. */
function withResult(text: string, change: (event: Record<string, unknown>) => object): string {
  const lines = text.trimEnd().split('\n')
  return [...lines.slice(0, -1), JSON.stringify(change(JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>))].join('\n')
}

test('DRIVE-46 a cost that adds up over the session is reported as a difference', async () => {
  const before = { costUsd: 0.0018, tokens: 330 }
  expect(await counted(recorded('resumed'), SESSION.sum, before)).toMatchObject({ costUsd: 0.0018, tokens: 330 })
  // A journal of an earlier Pawl knows no tokens of the session.
  expect(await counted(recorded('resumed'), SESSION.sum, { costUsd: 0.0018 })).toMatchObject({ costUsd: 0.0018, tokens: 330 })
})

test('DRIVE-46 a cost that an agent counts afresh at each call is reported whole, call after call', async () => {
  const first = await counted(recorded('per-call'), SESSION.call)
  expect(first).toEqual({ costUsd: 0.01668, tokens: 3072, sessionUsed: { costUsd: 0.01668, tokens: 3072 } })
  const second = await counted(recorded('per-call-resumed'), SESSION.call, first.sessionUsed)
  expect(second).toEqual({ costUsd: 0.01695, tokens: 3090, sessionUsed: { costUsd: 0.01695, tokens: 3090 } })
  expect(await counted(recorded('per-call-resumed'), SESSION.call, { costUsd: 0.01668 })).toMatchObject({ costUsd: 0.01695 })
})

test('DRIVE-46 what models of helpers used besides does not hide that a cost is counted again', async () => {
  const helped = withResult(recorded('per-call-resumed'), (event) => ({
    ...event,
    total_cost_usd: 0.018,
    modelUsage: { ...(event['modelUsage'] as object), small: { inputTokens: 500, outputTokens: 10, costUSD: 0.00105 } },
  }))
  const before = { costUsd: 0.01668, tokens: 3072 }
  expect(await counted(helped, SESSION.call, before)).toMatchObject({ costUsd: 0.018, tokens: 3600 })
})

test.each(['small', 'claude-opus-4-8'])(
  'DRIVE-59 helpers that use more than the whole call before do not make a sum of the session of what is counted again: model %s',
  async (model) => {
    const helped = withResult(recorded('per-call-resumed'), (event) => ({
      ...event,
      total_cost_usd: 0.04,
      modelUsage:
        model === 'small'
          ? { ...(event['modelUsage'] as object), small: { inputTokens: 5000, outputTokens: 10, costUSD: 0.02305 } }
          : { [model]: { inputTokens: 8015, outputTokens: 85, costUSD: 0.04 } },
    }))
    expect(await counted(helped, SESSION.call, { costUsd: 0.01668, tokens: 3072 })).toMatchObject({ costUsd: 0.04, tokens: 8100 })
  },
)

test('DRIVE-59 what an agent tells of this call decides: a sum that is more is the session’s, and what it forgot of that changes nothing', async () => {
  const used = { 'claude-opus-5-5': { inputTokens: 300, outputTokens: 30, costUSD: 0.0018 } }
  const small = { small: { inputTokens: 5000, outputTokens: 10, costUSD: 0.02 } }
  const told = (sum: object, costUsd: number) =>
    withResult(recorded('resumed'), (event) => ({
      ...event,
      total_cost_usd: costUsd,
      modelUsage: sum,
      model_usage_since_last_result: { ...used, ...small },
    }))
  const before = { costUsd: 0.0018, tokens: 330 }
  const sum = { 'claude-opus-5-5': { inputTokens: 600, outputTokens: 60, costUSD: 0.0036 }, ...small }
  expect(await counted(told(sum, 0.0236), SESSION.sum, before)).toMatchObject({ costUsd: 0.0218, tokens: 5340 })
  // It started over though it continues with the session.
  expect(await counted(told({ ...used, ...small }, 0.0218), SESSION.sum, before)).toMatchObject({ costUsd: 0.0218, tokens: 5340 })
  // It continued with less than it had told.
  const much = { costUsd: 0.01, tokens: 3000 }
  expect(await counted(told(sum, 0.0236), SESSION.sum, much)).toMatchObject({ costUsd: 0.0218, tokens: 5340 })
})

test('DRIVE-59 an agent that ends more than once in one call is counted whole', async () => {
  const [last = ''] = recorded('resumed').trimEnd().split('\n').slice(-1)
  const more = withResult(last, (event) => ({
    ...event,
    total_cost_usd: 0.0046,
    modelUsage: { big: { inputTokens: 800, outputTokens: 60, costUSD: 0.0046 } },
    model_usage_since_last_result: { big: { inputTokens: 200, outputTokens: 0, costUSD: 0.001 } },
  }))
  const twice = `${recorded('resumed').trimEnd()}\n${more}`
  expect(await counted(twice, SESSION.sum, { costUsd: 0.0018, tokens: 330 })).toMatchObject({ costUsd: 0.0028, tokens: 530 })
  expect(await counted(twice, SESSION.sum, { costUsd: 0.004, tokens: 700 })).toMatchObject({ costUsd: 0.0028, tokens: 530 })
})

test('DRIVE-46 models of helpers are reported as a difference too if they add up', async () => {
  const helped = withResult(recorded('resumed'), (event) => ({
    ...event,
    total_cost_usd: 0.004,
    modelUsage: { ...(event['modelUsage'] as object), small: { inputTokens: 90, outputTokens: 10, costUSD: 0.0004 } },
  }))
  expect(await counted(helped, SESSION.sum, { costUsd: 0.0018, tokens: 330 })).toMatchObject({ costUsd: 0.0022, tokens: 430 })
})

test('DRIVE-46 work that ends without its figures reports no cost and no session total', async () => {
  const cut = recorded('per-call-resumed').trimEnd().split('\n').slice(0, -1).join('\n')
  const told = await counted(cut, SESSION.call, { costUsd: 0.01668, tokens: 3072 })
  expect(told).toEqual({ tokens: expect.any(Number) })
})

test('DRIVE-52 what was counted of work that was cut off is taken out of a sum that holds it, and of no other', async () => {
  const before = { costUsd: 0.0018, tokens: 330 }
  const all = withResult(recorded('resumed'), (event) => ({
    ...event,
    total_cost_usd: 0.005,
    modelUsage: { big: { inputTokens: 700, outputTokens: 60, costUSD: 0.005 } },
  }))
  const unsettled = { tokens: 100 }
  expect(await counted(all, SESSION.sum, before, unsettled)).toMatchObject({ costUsd: 0.0032, tokens: 330 })
  // It was cut off so early that the agent itself forgot it: what this work says of itself holds.
  expect(await counted(recorded('resumed'), SESSION.sum, before, unsettled)).toMatchObject({ costUsd: 0.0018, tokens: 330 })
  // The first sum of the session.
  expect(await counted(all, SESSION.sum, undefined, { tokens: 430 })).toMatchObject({ costUsd: 0.005, tokens: 330 })
  // Counted again.
  const anew = recorded('per-call-resumed')
  expect(await counted(anew, SESSION.call, { costUsd: 0.01668, tokens: 3072 }, unsettled)).toMatchObject({ tokens: 3090 })
  expect(await counted(anew, SESSION.call, undefined, unsettled)).toMatchObject({ costUsd: 0.01695, tokens: 3090 })
})

const models = (tokens: number) => ({ big: { inputTokens: tokens, outputTokens: 0, costUSD: tokens / 1000 } })

describe('work in a session of which something is not known', () => {
  /** The result that a Claude Code call of 300 tokens prints last. */
  const claude = (version: string, total: number, more: object = {}) =>
    [
      { type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: version },
      { type: 'result', session_id: 's-1', total_cost_usd: total / 1000, modelUsage: models(total), ...more },
    ].map((event) => JSON.stringify(event))
  const printed = ['{"type":"thread.started","thread_id":"s-1"}', '{"type":"turn.completed","usage":{"input_tokens":300}}']
  const since = { model_usage_since_last_result: models(300) }

  test.each([
    ['Codex, whose sum is always the session’s', codex.reader, printed, true],
    ['Codex that was cut off once more', codex.reader, printed.slice(0, 1), undefined],
    ['Claude Code, whose sum is more than this call used', claudeStream, claude('2.1.325', 400, since), true],
    ['Claude Code, whose sum is what this call used', claudeStream, claude('2.1.325', 300, since), undefined],
    ['Claude Code that counts anew', claudeStream, claude('2.1.197', 300), undefined],
  ])('CORE-236 a sum that has it beyond doubt says so: %s', async (_what, reader, lines, expected) => {
    const reading = readStream(reader, lines.join('\n'))
    const request = { run: 'r', iteration: 2, role: 'coder', brief: '', cwd: '/project' }
    const told = (lastSession: AgentSession) => detailsOf(reading, { ...request, lastSession }, 's-1')
    expect((await told({ id: 's-1', unsettled: { tokens: 0 } })).settlesSession).toBe(expected)
    expect(await told({ id: 's-1' })).not.toHaveProperty('settlesSession')
    expect(await told({ id: 's-0', unsettled: { tokens: 0 } })).not.toHaveProperty('settlesSession')
  })
})

const FIXTURES = join(import.meta.dirname, '..', 'fixtures')
const READERS = { claude: claudeStream, codex: codex.reader, gemini: gemini.reader, opencode: opencode.reader, qwen: qwen.reader }
type Name = keyof typeof READERS

const NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const satisfies readonly Name[]
const PARTIAL = { isUsagePartial: true }

async function recordedStream(agent: Name, what: string): Promise<string> {
  return readFile(join(FIXTURES, `${agent}-${what}.jsonl`), 'utf8')
}

function read(agent: Name, text: string) {
  return readStream(READERS[agent], text)
}

test.each(NAMES)('DRIVE-58 %s that came to its end told all; cut off anywhere before it, it did not', async (agent) => {
  const text = await recordedStream(agent, 'fixed')
  expect(usageGap(read(agent, text), 'exited')).toEqual({})
  // What it told is whole even if it is ended afterwards.
  expect(usageGap(read(agent, text), 'timed-out')).toEqual({})
  const lines = text.trimEnd().split('\n')
  const last = lines.findLastIndex((_, index) => read(agent, lines.slice(0, index).join('\n')).ending === undefined)
  for (let count = 0; count <= last; count++) {
    const reading = read(agent, lines.slice(0, count).join('\n'))
    for (const status of ['timed-out', 'aborted', 'killed'] as const) expect(usageGap(reading, status)).toEqual(PARTIAL)
  }
})

test.each(NAMES)('DRIVE-58 %s whose provider failed from the first on used nothing that is not told', async (agent) => {
  for (const what of ['limit', 'unauthorized', 'server-error'])
    expect({ what, ...usageGap(read(agent, await recordedStream(agent, what)), 'exited') }).toEqual({ what })
})

test.each(['gemini', 'qwen'] as const)(
  'DRIVE-58 %s that was cut off within its answer tells 0 tokens, which is no figure',
  async (agent) => {
    const reading = read(agent, await recordedStream(agent, 'cut'))
    expect(usageGap(reading, 'exited')).toEqual(PARTIAL)
    expect(usageGap({ ...reading, sessionUsed: { tokens: 330 } }, 'exited'), 'what was used before').toEqual(PARTIAL)
  },
)

test('DRIVE-58 an error that Claude Code puts into the mouth of a model is no answer', async () => {
  for (const what of ['unreachable', 'no-network', 'limit'])
    expect({ what, ...usageGap(read('claude', await recordedStream('claude', what)), 'exited') }).toEqual({ what })
})

test('DRIVE-58 a program that ended by itself before any event used nothing', () => {
  expect(usageGap(read('claude', 'claude: unknown option'), 'exited')).toEqual({})
})

test('DRIVE-58 an end without figures after an answer is reported as such', () => {
  const events = [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'I begin.' } },
    { type: 'turn.failed', error: { message: 'unexpected status 429 Too Many Requests' } },
  ]
  const text = events.map((event) => JSON.stringify(event)).join('\n')
  expect(usageGap(read('codex', text), 'exited')).toEqual(PARTIAL)
})

const token = plantedSecrets().find(({ name }) => name === 'GitHub token')?.secret ?? ''
const piece = (content: string): string => JSON.stringify({ type: 'message', role: 'assistant', content, delta: true })
const call = JSON.stringify({ type: 'tool_use', tool_id: 'a', tool_name: 'read_file', parameters: {} })

async function kept(...lines: readonly string[]): Promise<readonly string[]> {
  return (await withoutSplitSecrets(gemini.reader, { text: lines.join('\n'), bytesCut: 0 })).text.split('\n')
}

const [start, end] = [piece(`I use ${token.slice(0, 12)}`), piece(`${token.slice(12)} now`)]
const LEFT_OUT = '[a message in pieces is left out: there is a secret in it]'

test('SECRET-27 a line that says nothing to the reader does not end a message in pieces: it stays, and the secret around it does not', async () => {
  for (const line of ['(node:7) Warning: slow', '', '{"type":"mess', '[1]', '{"level":"warn"}'])
    expect(await kept(start, line, end, call)).toEqual([LEFT_OUT, line, call])
  expect(await kept(call, start, 'one', 'two', end)).toEqual([call, LEFT_OUT, 'one', 'two'])
})

test('SECRET-27 another event ends it, and lines without a secret stay in their order', async () => {
  const harmless = [piece('I lo'), 'a warning', piece('ok'), call, 'more', piece('Do'), piece('ne.'), 'the end']
  expect(await kept(...harmless)).toEqual(harmless)
  expect(await kept(piece('One'), call, start, 'a warning', end)).toEqual([piece('One'), call, LEFT_OUT, 'a warning'])
})
