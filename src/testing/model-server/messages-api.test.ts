import { expect, test } from 'vitest'
import { ask, eventsIn } from '../../../test/support/model-ask.ts'
import { modelServer } from './model-server.ts'

const CALL = { name: 'look', input: { path: 'b.txt' } }

test('MODEL-1 Messages: words, a call and usage in one piece', async () => {
  await using server = await modelServer({
    reply: () => ({ say: 'I look.', call: CALL, usage: { inputTokens: 7, outputTokens: 3 } }),
  })
  const response = await ask(server.url, 'messages')
  expect(await response.json()).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { path: 'b.txt' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 7, output_tokens: 3 },
  })
})

test('MODEL-1 Messages: events in the order of the API, whose pieces add up', async () => {
  await using server = await modelServer({ reply: () => ({ say: 'I look.', call: CALL }) })
  const events = await eventsIn(await ask(server.url, 'messages', { isStreaming: true }))
  expect(events).toMatchObject([
    { type: 'message_start', message: { content: [], usage: { input_tokens: 100 } } },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I look.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'look', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":"b.txt"}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ])
})

test('MODEL-1 Messages: what an agent adds as the system in the middle is no word of the user', async () => {
  await using server = await modelServer({ reply: ({ messages }) => ({ say: messages.map(({ role }) => role).join(' ') }) })
  const messages = ['user', 'system', 'assistant'].map((role) => ({ role, content: [{ type: 'text', text: role }] }))
  const body = JSON.stringify({ model: 'm', system: 'first', messages })
  const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', body })
  expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'system user system assistant' }] })
})

test('MODEL-1 Messages: tokens are counted without asking the script', async () => {
  await using server = await modelServer({ reply: () => Promise.reject(new Error('asked')) })
  const response = await fetch(`${server.url}/v1/messages/count_tokens`, { method: 'POST', body: '{}' })
  expect(await response.json()).toEqual({ input_tokens: 100 })
})
