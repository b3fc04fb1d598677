import { expect, test } from 'vitest'
import { ask, eventsIn } from '../../../test/support/model-ask.ts'
import { modelServer } from './model-server.ts'

const CALL = { name: 'look', input: { path: 'b.txt' } }

test('MODEL-1 Gemini: words, a call and usage in one piece', async () => {
  await using server = await modelServer({
    reply: () => ({ say: 'I look.', call: CALL, usage: { inputTokens: 7, outputTokens: 3 } }),
  })
  const response = await ask(server.url, 'gemini')
  expect(await response.json()).toMatchObject({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'I look.' }, { functionCall: { id: 'call_1', name: 'look', args: { path: 'b.txt' } } }],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    modelVersion: 'm',
  })
})

test('MODEL-1 Gemini: as events, and as one list without alt=sse, the same chunks; only the last one says that it stops', async () => {
  await using server = await modelServer({ reply: () => ({ say: 'I look at it, in pieces of some length.', call: CALL }) })
  const events = await eventsIn(await ask(server.url, 'gemini', { isStreaming: true }))
  expect(events.slice(0, 1)).toMatchObject([{ candidates: [{ content: { parts: [{ text: 'I look at it, in pieces ' }] } }] }])
  expect(events.map((event) => JSON.stringify(event).includes('finishReason'))).toEqual([false, false, true])
  const listed = await fetch(`${server.url}/v1beta/models/m:streamGenerateContent`, { method: 'POST', body: '{"contents":[]}' })
  expect(listed.headers.get('content-type')).toBe('application/json')
  const list = (await listed.json()) as unknown[]
  expect(list).toHaveLength(3)
  expect(list.at(-1)).toMatchObject({
    candidates: [{ content: { parts: [{ functionCall: { name: 'look' } }] }, finishReason: 'STOP' }],
  })
})

test('MODEL-1 Gemini: tokens are counted without asking the script', async () => {
  await using server = await modelServer({ reply: () => Promise.reject(new Error('asked')) })
  const response = await fetch(`${server.url}/v1beta/models/m:countTokens`, { method: 'POST', body: '{}' })
  expect(await response.json()).toEqual({ totalTokens: 100 })
})
