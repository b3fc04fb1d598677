import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Event } from '../src/core/event.ts'
import { evolve } from '../src/loops/evolve.ts'
import { lastSession } from '../src/core/spending.ts'
import { initialState, type State } from '../src/core/state.ts'
import { claudeStream } from '../src/agents/streams/claude-stream.ts'
import { codex } from '../src/agents/codex.ts'
import { detailsOf, usageGap } from '../src/agents/streams/stream-result.ts'
import { readStream, type StreamReader } from '../src/agents/streams/stream-reading.ts'
import { agentSession, sessionOf, usageOf } from '../src/engine/perform-work.ts'
import { configOf } from '../src/testing/state-builder.ts'

/** One piece of work of a program that says what Claude Code says: messages, helpers beside them, and its sum unless it is cut off. */
interface Work {
  readonly messages: readonly number[]
  /** Tokens of helpers, which only the sum tells. */
  readonly helper: number
  /** The model that the helpers use: that of the messages, or another. */
  readonly helperModel: 'big' | 'small'
  readonly isCut: boolean
  /** How it was cut off. */
  readonly how: 'work.failed' | 'work.abandoned'
}

const workWithHelper = (helperMax: number): fc.Arbitrary<Work> =>
  fc.record({
    messages: fc.array(fc.integer({ min: 100, max: 900 }), { minLength: 1, maxLength: 4 }),
    helper: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: helperMax })),
    helperModel: fc.constantFrom('big', 'small'),
    isCut: fc.boolean(),
    how: fc.constantFrom('work.failed', 'work.abandoned'),
  })

const PRICE = 0.00001
const KEY = '1/coder/0'

/** What the figures at the end are of: the session with what this call used beside it, the session alone, or this call. */
type Form = 'sum-and-call' | 'sum' | 'call'

const VERSION: Readonly<Record<Form, string>> = { 'sum-and-call': '2.1.325', sum: '2.1.277', call: '2.1.197' }

test.each([
  ['sum-and-call', 20_000],
  // If only the total is reported, helpers that use more than an earlier whole call look like such a call.
  ['sum', 99],
  ['call', 20_000],
] as const)(
  'DRIVE-52 tokens and cost of a session add up to what was used, helpers included, wherever its work is cut off: figures of %s',
  async (form, helperMax) => {
    await fc.assert(
      fc.asyncProperty(fc.array(workWithHelper(helperMax), { minLength: 1, maxLength: 8 }), async (works) => {
        const { totals } = await driven(works, claudeStream, (work, before) => streamOf(work, form, before))
        expect(totals.tokens).toBe(tokensTold(works, form))
        const lastTold = works.findLastIndex(({ isCut }) => !isCut)
        const priced = works.slice(0, lastTold + 1).filter(({ isCut }) => form !== 'call' || !isCut)
        expect(totals.costUsd).toBeCloseTo(sum(priced.map(used)) * PRICE, 8)
        const { length: unknown } = works.filter(({ isCut }, index) => isCut && (form === 'call' || index > lastTold))
        expect([totals.unpriced ?? 0, totals.uncounted ?? 0]).toEqual([unknown, unknown])
      }),
      { numRuns: 500 },
    )
  },
)

test('CORE-236 a sum of tokens alone brings all that was cut off before it, even if nothing was reported until then: figures of Codex', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(workWithHelper(20_000), { minLength: 1, maxLength: 8 }), async (works) => {
      const { totals } = await driven(works, codex.reader, codexStreamOf)
      const lastTold = works.findLastIndex(({ isCut }) => !isCut)
      expect(totals.tokens).toBe(sum(works.slice(0, lastTold + 1).map(used)))
      expect([totals.unpriced ?? 0, totals.uncounted ?? 0]).toEqual([works.length, works.length - lastTold - 1])
    }),
    { numRuns: 500 },
  )
})

/** What helpers used in cut-off work comes with the next total that includes it, or never. */
function tokensTold(works: readonly Work[], form: Form): number {
  const lastTold = works.findLastIndex(({ isCut }) => !isCut)
  const isTold = ({ isCut }: Work, index: number) => !isCut || (form !== 'call' && index <= lastTold)
  return sum(works.map((each, index) => (isTold(each, index) ? used(each) : sum(each.messages))))
}

/** Drives the works through the driver's reading of the stream and the fold of the journal. */
async function driven(
  works: readonly Work[],
  reader: StreamReader,
  streamed: (work: Work, usedBefore: number) => string,
): Promise<State> {
  let state = initialState('r', 1, 0, configOf([]))
  let before = 0
  const add = (type: string, data: object) => {
    const by = { role: 'agent', name: 'claude' }
    state = evolve(state, { seq: state.seq + 1, run: 'r', at: 0, v: 1, type, by, data } as unknown as Event)
  }
  for (const each of works) {
    add('work.started', { key: KEY, iteration: 1, role: 'coder', brief: { sha256: '', bytes: 0 } })
    const last = lastSession(state, KEY, 'claude')
    const request = {
      run: 'r',
      iteration: 1,
      role: 'coder',
      brief: '',
      cwd: '/x',
      ...(last ? { lastSession: agentSession(last) } : {}),
    }
    const reading = readStream(reader, streamed(each, before))
    const details = await detailsOf(reading, request, last?.id)
    const told = { ...usageOf({ ...details, ...usageGap(reading, each.isCut ? 'timed-out' : 'exited') }), ...sessionOf(details) }
    if (!each.isCut) add('work.finished', { key: KEY, durationMs: 1, ...told })
    else if (each.how === 'work.abandoned') add(each.how, { key: KEY, reason: 'interrupted', ...told })
    else add(each.how, { key: KEY, reason: 'timed-out', fault: 'agent', message: '', durationMs: 1, ...told })
    before += used(each)
  }
  return state
}

/** Codex reports what its thread used in all, and only at the end of a turn. */
function codexStreamOf(work: Work, usedBefore: number): string {
  const said = work.messages.map((_, index) => ({ id: `item_${index}`, type: 'agent_message', text: 'I look.' }))
  const usage = { input_tokens: usedBefore + used(work) - 10, cached_input_tokens: 0, output_tokens: 10 }
  const events = [
    { type: 'thread.started', thread_id: 's-1' },
    ...said.map((item) => ({ type: 'item.completed', item })),
    ...(work.isCut ? [] : [{ type: 'turn.completed', usage }]),
  ]
  return events.map((event) => JSON.stringify(event)).join('\n')
}

let messageCount = 0

function streamOf({ messages, helper, helperModel, isCut }: Work, form: Form, usedBefore: number): string {
  const own = sum(messages)
  const before = form === 'call' ? 0 : usedBefore
  const events = messages.map((tokens) => {
    const usage = { input_tokens: tokens - 10, output_tokens: 10 }
    return { type: 'assistant', message: { id: `m-${++messageCount}`, model: 'big', content: [], usage } }
  })
  const total = before + own + helper
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    total_cost_usd: total * PRICE,
    usage: { input_tokens: own, output_tokens: 0 },
    modelUsage: modelsOf(before + own, helper, helperModel),
    ...(form === 'sum-and-call' ? { model_usage_since_last_result: modelsOf(own, helper, helperModel) } : {}),
  }
  const begin = { type: 'system', subtype: 'init', model: 'big', claude_code_version: VERSION[form] }
  const all = [begin, ...events, ...(isCut ? [] : [result])]
  return all.map((event) => JSON.stringify({ ...event, session_id: 's-1' })).join('\n')
}

function modelsOf(own: number, helper: number, helperModel: Work['helperModel']): object {
  if (helper === 0) return { big: modelUsage(own) }
  return helperModel === 'big' ? { big: modelUsage(own + helper) } : { big: modelUsage(own), small: modelUsage(helper) }
}

function modelUsage(tokens: number): object {
  return { inputTokens: tokens, outputTokens: 0, costUSD: tokens * PRICE }
}

function used({ messages, helper }: Work): number {
  return sum(messages) + helper
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
