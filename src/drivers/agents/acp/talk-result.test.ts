import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import type { WorkRequest, WorkResult } from '../../../ports/agent.ts'
import type { TalkResult } from '../../../process/talk-to-command.ts'
import type { Session, Talked } from './hold-talk.ts'
import { SessionRecord } from './session-record.ts'
import { talkWorkResult } from './talk-result.ts'

const SESSION: Session = { id: 's-1', canGoOn: true, isContinued: false }
const ASK = { id: 'a', kind: 'execute', title: 'rm -r dist', options: [] }
const errors = { text: '', bytesCut: 0 }

/** What becomes of a talk after which the session has cost so much in all. */
async function ended(
  result: object,
  costUsd: number,
  { session = SESSION, request = {} }: { session?: Session; request?: Partial<WorkRequest> } = {},
): Promise<WorkResult> {
  const record = new SessionRecord('/x', () => undefined)
  record.update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: costUsd, currency: 'USD' } } as SessionUpdate)
  record.session = session
  const line = { command: ['scripted'] }
  const asked = { run: 'r', iteration: 1, role: 'coder', brief: '', cwd: '/x', ...request }
  const given = { errors, ...result } as unknown as TalkResult<Talked>
  return talkWorkResult(given, { name: 'scripted', line, limitMs: 1000, request: asked, record, now: 0 })
}

describe('what a talk cost', () => {
  test.each([
    ['timed out', { status: 'timed-out' }],
    ['ended in the middle', { status: 'exited', exitCode: 1 }],
    ['broken off', { status: 'broken-off', error: new Error('no more') }],
    ['interrupted', { status: 'aborted' }],
  ])('ACP-42 is told with its session when it was %s', async (_how, result) => {
    expect(await ended(result, 5)).toMatchObject({ session: 's-1', costUsd: 5, sessionUsed: { costUsd: 5 } })
  })

  test('ACP-43 around a question adds up to what the session cost', async () => {
    const asked = await ended({ status: 'talked', value: { kind: 'asked', ask: ASK, session: SESSION } }, 0.5)
    expect(asked).toMatchObject({ status: 'asked', session: 's-1', costUsd: 0.5, sessionUsed: { costUsd: 0.5 } })
    const session = { ...SESSION, isContinued: true }
    const lastSession = { id: 's-1', used: { costUsd: 0.5 } }
    const value = { kind: 'ended', response: { stopReason: 'end_turn' }, session }
    const rest = await ended({ status: 'talked', value }, 2, { session, request: { session: 's-1', lastSession } })
    expect(rest).toMatchObject({ status: 'finished', costUsd: 1.5 })
  })
})
