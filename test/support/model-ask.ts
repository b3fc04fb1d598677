import type { Json, JsonObject } from '../../src/core/json.ts'
import type { ModelApi } from '../../src/testing/model-server/api.ts'

/** How tests ask the scripted model by each API, with plain `fetch`: the same short conversation, the same tool. */
export const APIS_UNDER_TEST: readonly ModelApi[] = ['responses', 'messages', 'gemini', 'chat']

export interface Asked {
  readonly isStreaming?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks "Fix it." in a conversation that has one call of `look` and its result `seen`. */
export function ask(url: string, api: ModelApi, { isStreaming = false, headers = {} }: Asked = {}): Promise<Response> {
  const path =
    api === 'gemini' ? `/v1beta/models/m:${isStreaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}` : PATHS[api]
  const stream = api === 'gemini' ? {} : { stream: isStreaming }
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...BODIES[api], ...stream }),
  })
}

/** The data of the events of a stream, parsed; `[DONE]` stays text. */
export async function eventsIn(response: Response): Promise<readonly (JsonObject | string)[]> {
  const text = await response.text()
  const data = text.split('\n\n').flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? [])
  return data.map((each) => (each === '[DONE]' ? each : (JSON.parse(each) as JsonObject)))
}

const PATHS = { responses: '/v1/responses', messages: '/v1/messages', chat: '/v1/chat/completions' } as const
const SYSTEM = 'You are careful.\nCurrent working directory: /srv/shop\n'
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } }

const BODIES: Readonly<Record<ModelApi, Record<string, Json>>> = {
  responses: {
    model: 'm',
    instructions: SYSTEM,
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"path":"a.txt"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'seen' },
    ],
    tools: [
      { type: 'function', name: 'look', parameters: SCHEMA },
      { type: 'custom', name: 'patch' },
      { type: 'namespace', name: 'mcp__pawl', tools: [{ type: 'function', name: 'next', parameters: SCHEMA }] },
    ],
  },
  messages: {
    model: 'm',
    max_tokens: 1000,
    system: [{ type: 'text', text: SYSTEM }],
    messages: [
      { role: 'user', content: 'Fix it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { path: 'a.txt' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'seen' }] }] },
    ],
    tools: [{ name: 'look', input_schema: SCHEMA }],
  },
  gemini: {
    systemInstruction: { parts: [{ text: SYSTEM }] },
    contents: [
      { role: 'user', parts: [{ text: 'Fix it.' }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: { path: 'a.txt' } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'seen' } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: SCHEMA }] }],
  },
  chat: {
    model: 'm',
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: 'Fix it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"path":"a.txt"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }],
    stream_options: { include_usage: true },
  },
}
