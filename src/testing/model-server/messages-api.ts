import type { Json, JsonObject } from '../../core/json.ts'
import type { Answer, Api, Failure, FailureAnswer, ModelMessage, StreamEvent } from './api.ts'
import { contentText, objectsIn, pieces, textIn, workingFolder } from './read-json.ts'

/** Anthropic Messages: `POST …/messages`. `…/messages/count_tokens` doesn't call the script. */
export const messagesApi: Api = {
  route: (method, url) => {
    if (method !== 'POST') return undefined
    if (url.pathname.endsWith('/messages/count_tokens')) return { kind: 'aside', answer: { input_tokens: 100 } }
    return url.pathname.endsWith('/messages') ? { kind: 'ask', url } : undefined
  },
  turn: (body) => {
    const system = contentText(body['system'])
    const messages = [
      ...(system === '' ? [] : [{ role: 'system' as const, text: system, calls: [], results: [] }]),
      ...objectsIn(body['messages']).map(messageFrom),
    ]
    return {
      api: 'messages',
      model: textIn(body['model']),
      isStreaming: body['stream'] === true,
      messages,
      tools: objectsIn(body['tools']).map(({ name }) => textIn(name)),
      ...workingFolder(messages),
    }
  },
  whole: (answer) => ({
    ...head(answer),
    content: blocks(answer),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: { input_tokens: answer.inputTokens, output_tokens: answer.outputTokens },
  }),
  events,
  failure,
}

function messageFrom(message: JsonObject): ModelMessage {
  const content = objectsIn(message['content'])
  const results = content
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ id: textIn(block['tool_use_id']), text: contentText(block['content']) }))
  const calls = content
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({ id: textIn(block['id']), name: textIn(block['name']), input: block['input'] ?? {} }))
  // Claude Code adds what it found out itself in the middle, as the system.
  const isNamed = message['role'] === 'assistant' || message['role'] === 'system'
  const role = isNamed ? (message['role'] as 'assistant' | 'system') : results.length > 0 ? 'tool' : 'user'
  return { role, text: contentText(message['content']), calls, results }
}

function head({ number, turn }: Answer): JsonObject {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model: turn.model }
}

function blocks({ say, call, number }: Answer): readonly JsonObject[] {
  const text = say === undefined && call ? [] : [{ type: 'text', text: say ?? '' }]
  return call ? [...text, { type: 'tool_use', id: `toolu_${number}`, name: call.name, input: call.input }] : text
}

function stopReason({ call }: Answer): string {
  return call ? 'tool_use' : 'end_turn'
}

function events(answer: Answer): readonly StreamEvent[] {
  const start = {
    ...head(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: answer.inputTokens, output_tokens: 1 },
  }
  const all: JsonObject[] = [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...blocks(answer).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: answer.outputTokens },
    },
    { type: 'message_stop' },
  ]
  return all.map((data) => ({ name: textIn(data['type']), data }))
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const isText = block['type'] === 'text'
  const deltas = isText
    ? pieces(textIn(block['text'])).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block['input'])).map((json) => ({ type: 'input_json_delta', partial_json: json }))
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
}

function failure({ status, message, resetInSeconds = 0, isUsedUp = false }: Failure): FailureAnswer {
  const body: Json = { type: 'error', error: { type: TYPES[status] ?? 'invalid_request_error', message }, request_id: 'req_1' }
  if (status !== 429) return { body }
  const resetAt = Math.ceil(Date.now() / 1000) + resetInSeconds
  const reset = new Date(resetAt * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
  const limits = ['requests', 'tokens'].flatMap((what) => [
    [`anthropic-ratelimit-${what}-limit`, '50'],
    [`anthropic-ratelimit-${what}-remaining`, '0'],
    [`anthropic-ratelimit-${what}-reset`, reset],
  ])
  const plan = { 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': String(resetAt) }
  const headers = { 'retry-after': String(resetInSeconds), ...Object.fromEntries(limits), ...(isUsedUp && plan) }
  return { headers, body }
}
