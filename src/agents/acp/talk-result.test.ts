import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import type { TalkResult } from '../../process/talk-to-command.ts'
import type { WorkRequest, WorkResult } from '../agent.ts'
import type { Session, Talked } from './hold-talk.ts'
import { SessionRecord } from './session-record.ts'
import { talkWorkResult } from './talk-result.ts'

const SESSION: Session = { id: 's-1', canGoOn: true, isContinued: false }
const ASK = { id: 'a', kind: 'execute', title: 'rm -r dist', options: [] }
const errors = { text: '', bytesCut: 0 }

/** What becomes of a talk after which the session has cost so much in all. */
async function ended(
  result: object,
  costUsd: number | undefined,
  {
    session = SESSION,
    request = {},
    isRest = false,
  }: { session?: Session; request?: Partial<WorkRequest>; isRest?: boolean } = {},
): Promise<WorkResult> {
  const record = new SessionRecord('/x', () => undefined)
  const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: 'USD' } }
  record.update({ sessionUpdate: 'usage_update', used: 1, size: 2, ...cost } as SessionUpdate)
  record.session = session
  const line = { command: ['scripted'] }
  const asked = { run: 'r', iteration: 1, role: 'coder', brief: '', cwd: '/x', ...request }
  const given = { errors, ...result } as unknown as TalkResult<Talked>
  return talkWorkResult(given, { name: 'scripted', line, limit: { ms: 1000, isRest }, request: asked, record, now: 0 })
}

describe('what a talk cost', () => {
  test.each([
    ['timed out', { status: 'timed-out' }],
    ['ended in the middle', { status: 'exited', exitCode: 1 }],
    ['broken off', { status: 'broken-off', error: new Error('no more') }],
    ['interrupted', { status: 'aborted' }],
  ])('ACP-42 is reported with its session when it was %s', async (_how, result) => {
    const told = { session: 's-1', costUsd: 5, sessionUsed: { costUsd: 5 }, isUsagePartial: true }
    expect(await ended(result, 5)).toMatchObject(told)
  })

  test.each([
    [true, 'No more time was left for scripted: it was ended after 1.0 s of work.'],
    [false, 'scripted was not done within 1 s and was ended.'],
  ])('DRIVE-60 a talk that was ended says whether its own time was over or what was left: %s', async (isRest, message) => {
    expect(await ended({ status: 'timed-out' }, 5, { isRest })).toMatchObject({ status: 'timed-out', message })
  })

  test('ACP-43 around a question adds up to what the session cost', async () => {
    const asked = await ended({ status: 'talked', value: { kind: 'asked', ask: ASK, session: SESSION } }, 0.5)
    expect(asked).toMatchObject({ status: 'asked', session: 's-1', costUsd: 0.5, sessionUsed: { costUsd: 0.5 } })
    const session = { ...SESSION, isContinued: true }
    const lastSession = { id: 's-1', used: { costUsd: 0.5 } }
    const value = { kind: 'ended', response: { stopReason: 'end_turn' }, session }
    const rest = await ended({ status: 'talked', value }, 2, { session, request: { session: 's-1', lastSession } })
    expect(rest).toMatchObject({ status: 'finished', costUsd: 1.5 })
    expect(rest).not.toHaveProperty('isUsagePartial')
  })
})

describe('what a turn told', () => {
  const counted = { stopReason: 'cancelled', _meta: { quota: { token_count: { input_tokens: 4000, output_tokens: 408 } } } }
  test.each([
    ['a turn that tells tokens', { kind: 'ended', response: { ...counted, stopReason: 'end_turn' } }, 4408, false],
    ['a turn that tells nothing', { kind: 'ended', response: { stopReason: 'end_turn' } }, undefined, true],
    ['a turn called off that tells tokens', { kind: 'asked', ask: ASK, response: counted }, 4408, false],
    ['a turn called off that tells nothing', { kind: 'asked', ask: ASK, response: { stopReason: 'cancelled' } }, undefined, true],
    ['a turn called off that never ended', { kind: 'asked', ask: ASK }, undefined, true],
    ['a turn that was refused at once', { kind: 'refused', refusal: { code: 429, message: 'slow down' } }, undefined, false],
  ] as const)('ACP-5 %s is counted, or says that more was used', async (_what, value, tokens, isPartial) => {
    const result = await ended({ status: 'talked', value: { ...value, session: SESSION } }, undefined)
    expect('tokens' in result ? result.tokens : undefined).toBe(tokens)
    expect('isUsagePartial' in result).toBe(isPartial)
  })
})
