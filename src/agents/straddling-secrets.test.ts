import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { redactJson } from '../secrets/filter.ts'
import { leakedIn, straddling, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { SessionRecord } from './acp/session-record.ts'
import { talkWorkResult } from './acp/talk-result.ts'
import { agentTrouble } from './agent-trouble.ts'
import type { WorkRequest } from './agent.ts'
import { modelTrouble } from './ai-sdk/ai-sdk-agent.ts'
import { commandAgent } from './command-agent.ts'

const request: WorkRequest = { run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: tmpdir() }

/** What the journal would keep of a result. */
async function journaled(result: object): Promise<string> {
  return JSON.stringify(await redactJson({ ...result, output: undefined, words: undefined }))
}

/** What an agent's program is taken to have failed with that printed this last. */
function troubleAfter(text: string) {
  const result = { status: 'exited', exitCode: 1, output: { text, bytesCut: 0 } } as const
  return agentTrouble({ result, line: { command: ['x'] }, cwd: request.cwd, now: 0 })
}

describe.each(plantedSecrets())('a cut through a secret: $name', (planted) => {
  it('SECRET-22 leaves no part of it in what an ACP agent did, said last or was refused with', async () => {
    const talk = { name: 'scripted', line: { command: ['scripted'] }, limit: { ms: 1000, isRest: false }, request, now: 0 }
    const recorded = (said: string) => {
      const record = new SessionRecord(request.cwd, () => {})
      const rawInput = { command: straddling(planted, 80) }
      record.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', status: 'completed', rawInput })
      record.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } })
      return record
    }
    const errors = { text: straddlingEnd(planted, 1000), bytesCut: 0 }
    const session = { id: 's', canGoOn: true, isContinued: false }
    const refusal = { code: 429, message: straddling(planted, 500), source: '' } as const
    const kept = [
      await talkWorkResult({ status: 'timed-out', errors }, { ...talk, record: recorded('Look') }),
      await talkWorkResult(
        { status: 'talked', errors, value: { kind: 'ended', response: { stopReason: 'end_turn' }, session } },
        { ...talk, record: recorded(straddlingEnd(planted, 500)) },
      ),
      await talkWorkResult(
        { status: 'talked', errors, value: { kind: 'refused', refusal, session } },
        { ...talk, record: recorded('Look') },
      ),
    ]
    const texts = await Promise.all(kept.map(journaled))
    expect(texts.map((text) => leakedIn(text, [planted]))).toEqual([[], [], []])
    expect(texts.every((text) => text.includes('"label":'))).toBe(true)
  })

  it('SECRET-22 leaves no part of it in the trouble of a model, a provider or the machine', async () => {
    const thrown = Object.assign(new Error(straddling(planted, 500)), { statusCode: 429 })
    const oneLine = { ...planted, text: planted.text.replaceAll('\n', ' ') }
    const kept = [
      await modelTrouble(thrown, 'm', 0),
      await modelTrouble(new Error(straddling(planted, 500)), 'm', 0),
      await troubleAfter(`API Error: 429 Too Many Requests ${straddling(oneLine, 467)}`),
    ]
    expect(kept[2]).toMatchObject({ fault: 'provider-limit' })
    expect((await Promise.all(kept.map((each) => journaled(each ?? {})))).map((text) => leakedIn(text, [planted]))).toEqual([
      [],
      [],
      [],
    ])
  })
})

it('SECRET-22 the last lines of a program that failed hold no part of a secret', async () => {
  for (const planted of plantedSecrets().filter(({ name }) =>
    /^(?:GitHub token|password in the environment|private key)$/.test(name),
  )) {
    const agent = commandAgent({
      command: ['sh', '-c', 'printf "%s\\n" "$SAID"; exit 1'],
      variables: { SAID: straddlingEnd(planted, 1000) },
    })
    const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
    const result = await agent.work(request, context)
    expect(result).toMatchObject({ status: 'failed', fault: 'agent', message: expect.stringContaining('It last said:') })
    expect(leakedIn(await journaled(result), [planted])).toEqual([])
  }
})
