import { expect, test } from 'vitest'
import { ask, eventsIn } from '../../../test/support/model-ask.ts'
import { modelServer } from './model-server.ts'

const CALL = { name: 'look', input: { path: 'b.txt' } }

test('MODEL-1 Chat Completions: words, a call and usage in one piece', async () => {
  await using server = await modelServer({
    reply: () => ({ say: 'I look.', call: CALL, usage: { inputTokens: 7, outputTokens: 3 } }),
  })
  const response = await ask(server.url, 'chat')
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"path":"b.txt"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  })
})

test('MODEL-1 Chat Completions: chunks in the order of the API, usage where it is wished for, and [DONE]', async () => {
  await using server = await modelServer({ reply: () => ({ say: 'I look.', call: CALL }) })
  const events = await eventsIn(await ask(server.url, 'chat', { isStreaming: true }))
  expect(events.at(-1)).toBe('[DONE]')
  expect(events.slice(0, -1)).toMatchObject([
    { choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] },
    { choices: [{ delta: { content: 'I look.' } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"path":"b.txt"}' } }] } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } },
  ])
})
