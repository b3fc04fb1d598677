import type { Json, JsonObject } from '../../core/json.ts'
import type { Answer, Api, Failure, FailureAnswer, ModelMessage, StreamEvent } from './api.ts'
import { contentText, objectsIn, parseOrText, pieces, textIn, workingFolder } from './read-json.ts'

/** OpenAI Responses: `POST …/responses`. Tools in a namespace (Codex's MCP tools) are named `NAMESPACE__TOOL`. */
export const responsesApi: Api = {
  route: (method, url) => (method === 'POST' && url.pathname.endsWith('/responses') ? { kind: 'ask', url } : undefined),
  turn: (body) => {
    const messages = [...instructions(body['instructions']), ...input(body['input'])]
    return {
      api: 'responses',
      model: textIn(body['model']),
      isStreaming: body['stream'] === true,
      messages,
      tools: toolsIn(body).map(({ fullName }) => fullName),
      ...workingFolder(messages),
    }
  },
  whole: (answer) => response(answer, 'completed'),
  events,
  failure: (failure) => openAiFailure(failure),
}

function instructions(text: Json | undefined): readonly ModelMessage[] {
  return textIn(text) === '' ? [] : [{ role: 'system', text: textIn(text), calls: [], results: [] }]
}

function input(items: Json | undefined): readonly ModelMessage[] {
  if (typeof items === 'string') return [{ role: 'user', text: items, calls: [], results: [] }]
  return objectsIn(items).flatMap(messageFrom)
}

/** Skips reasoning and other items that aren't messages. */
function messageFrom(item: JsonObject): readonly ModelMessage[] {
  const type = textIn(item['type'])
  const id = textIn(item['call_id'])
  if (type.endsWith('_call_output')) {
    return [{ role: 'tool', text: '', calls: [], results: [{ id, text: contentText(item['output']) }] }]
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    const name = [item['namespace'], item['name']].flatMap((part) => textIn(part) || []).join('__')
    const given = type === 'function_call' ? parseOrText(textIn(item['arguments'])) : textIn(item['input'])
    return [{ role: 'assistant', text: '', calls: [{ id, name, input: given }], results: [] }]
  }
  if (type !== 'message' && type !== '') return []
  const role = textIn(item['role'])
  const known = role === 'assistant' || role === 'user' ? role : 'system'
  return [{ role: known, text: contentText(item['content']), calls: [], results: [] }]
}

interface OfferedTool {
  readonly fullName: string
  readonly name: string
  readonly namespace?: string
  readonly isCustom: boolean
}

function toolsIn(body: JsonObject): readonly OfferedTool[] {
  return objectsIn(body['tools']).flatMap((tool): OfferedTool[] => {
    const name = textIn(tool['name']) || textIn(tool['type'])
    if (tool['type'] !== 'namespace') return [{ fullName: name, name, isCustom: tool['type'] === 'custom' }]
    return objectsIn(tool['tools']).map((inner) => {
      const innerName = textIn(inner['name'])
      return { fullName: `${name}__${innerName}`, name: innerName, namespace: name, isCustom: inner['type'] === 'custom' }
    })
  })
}

function events(answer: Answer): readonly StreamEvent[] {
  const items = itemsOf(answer)
  const all: JsonObject[] = [
    { type: 'response.created', response: response(answer, 'in_progress') },
    { type: 'response.in_progress', response: response(answer, 'in_progress') },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    { type: 'response.completed', response: response(answer, 'completed') },
  ]
  return all.map((data, index) => ({ name: textIn(data['type']), data: { ...data, sequence_number: index } }))
}

function itemEvents(item: JsonObject, index: number): JsonObject[] {
  const place = { item_id: item['id'], output_index: index }
  const begun =
    item['type'] === 'message' ? { content: [] } : item['type'] === 'custom_tool_call' ? { input: '' } : { arguments: '' }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, ...begun, status: 'in_progress' } },
    ...(item['type'] === 'message' ? messageEvents(item, place) : callEvents(item, place)),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function messageEvents(item: JsonObject, itemPlace: JsonObject): JsonObject[] {
  const [part = {}] = objectsIn(item['content'])
  const place = { ...itemPlace, content_index: 0 }
  const text = textIn(part['text'])
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ]
}

function callEvents(item: JsonObject, place: JsonObject): JsonObject[] {
  const [name, field] =
    item['type'] === 'custom_tool_call' ? ['custom_tool_call_input', 'input'] : ['function_call_arguments', 'arguments']
  const text = textIn(item[field])
  return [
    ...pieces(text).map((delta) => ({ type: `response.${name}.delta`, ...place, delta })),
    { type: `response.${name}.done`, ...place, [field]: text },
  ]
}

function itemsOf({ say, call, body, number }: Answer): JsonObject[] {
  const message = {
    type: 'message',
    id: `msg_${number}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: say ?? '', annotations: [], logprobs: [] }],
  }
  if (!call) return [message]
  const tool = toolsIn(body).find(({ fullName }) => fullName === call.name)
  const head = {
    call_id: `call_${number}`,
    name: tool?.name ?? call.name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
    status: 'completed',
  }
  const text = typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
  const item = tool?.isCustom
    ? { type: 'custom_tool_call', id: `ctc_${number}`, ...head, input: text }
    : { type: 'function_call', id: `fc_${number}`, ...head, arguments: text }
  return say === undefined ? [item] : [message, item]
}

function response(answer: Answer, status: 'in_progress' | 'completed'): JsonObject {
  const isDone = status === 'completed'
  return {
    id: `resp_${answer.number}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: null,
    model: answer.turn.model,
    output: isDone ? itemsOf(answer) : [],
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
    usage: isDone ? usageOf(answer) : null,
    metadata: {},
  }
}

function usageOf({ inputTokens, outputTokens }: Answer): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}

/** Failures of OpenAI's two APIs: the reset time is in the headers and in the message. */
export function openAiFailure({ status, message, resetInSeconds = 0, isUsedUp = false }: Failure): FailureAnswer {
  if (status !== 429) return { body: { error: { message, type: TYPES[status], param: null, code: CODES[status] ?? null } } }
  // As for ChatGPT plans. Codex then ends and shows the time.
  if (isUsedUp) {
    const resetsAt = Math.ceil(Date.now() / 1000) + resetInSeconds
    return {
      body: {
        error: {
          type: 'usage_limit_reached',
          message,
          plan_type: 'plus',
          resets_at: resetsAt,
          resets_in_seconds: resetInSeconds,
        },
      },
    }
  }
  return {
    headers: {
      'retry-after': String(resetInSeconds),
      'retry-after-ms': String(resetInSeconds * 1000),
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': `${resetInSeconds}s`,
    },
    body: {
      error: {
        message: `${message} Please try again in ${resetInSeconds}s.`,
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
  }
}

const TYPES: Readonly<Record<number, string>> = { 401: 'invalid_request_error', 500: 'server_error' }
const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 404: 'not_found', 500: 'server_error' }
