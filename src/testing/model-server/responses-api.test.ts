import { expect, test } from 'vitest'
import { ask, eventsIn } from '../../../test/support/model-ask.ts'
import { modelServer } from './model-server.ts'

const CALL = { name: 'look', input: { path: 'b.txt' } }

test('MODEL-1 Responses: words, a call and usage in one piece', async () => {
  await using server = await modelServer({
    reply: () => ({ say: 'I look.', call: CALL, usage: { inputTokens: 7, outputTokens: 3 } }),
  })
  const response = await ask(server.url, 'responses')
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"path":"b.txt"}' },
    ],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  })
})

test('MODEL-1 Responses: events in the order of the API, whose pieces add up', async () => {
  const say = 'I look at it 🙂, at length, so that it comes in pieces.'
  await using server = await modelServer({ reply: () => ({ say, call: CALL }) })
  const response = await ask(server.url, 'responses', { isStreaming: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = await eventsIn(response)
  const types = events.map((event) => (typeof event === 'string' ? event : String(event['type'])))
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  const said = events.flatMap((event) =>
    typeof event !== 'string' && event['type'] === 'response.output_text.delta' ? [event['delta']] : [],
  )
  expect(said.length).toBeGreaterThan(1)
  expect(said.join('')).toBe(say)
  expect(events.at(-1)).toMatchObject({
    response: { output: [{ type: 'message' }, { name: 'look' }], usage: { input_tokens: 100 } },
  })
})

test.each([
  ['mcp__pawl__next', { a: 1 }, { type: 'function_call', namespace: 'mcp__pawl', name: 'next', arguments: '{"a":1}' }],
  ['patch', '*** Begin Patch', { type: 'custom_tool_call', name: 'patch', input: '*** Begin Patch' }],
])('MODEL-1 Responses: the tool %s is called as it was offered', async (name, input, item) => {
  await using server = await modelServer({ reply: () => ({ call: { name, input } }) })
  const response = await ask(server.url, 'responses')
  expect(await response.json()).toMatchObject({ output: [item] })
  expect(server.requests[0]?.turn?.tools).toEqual(['look', 'patch', 'mcp__pawl__next'])
})
