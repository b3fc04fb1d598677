import type { Json, JsonObject } from '../../core/json.ts'
import type { Answer, Api, Failure, FailureAnswer, ModelMessage, StreamEvent } from './api.ts'
import { contentText, objectIn, objectsIn, parseOrText, pieces, textIn, workingFolder } from './read-json.ts'
import { openAiFailure } from './responses-api.ts'

/** OpenAI Chat Completions: `POST …/chat/completions`. */
export const chatApi: Api = {
  route: (method, url) => (method === 'POST' && url.pathname.endsWith('/chat/completions') ? { kind: 'ask', url } : undefined),
  turn: (body) => {
    const messages = objectsIn(body['messages']).map(messageFrom)
    return {
      api: 'chat',
      model: textIn(body['model']),
      isStreaming: body['stream'] === true,
      messages,
      tools: objectsIn(body['tools']).map((tool) => textIn(objectIn(tool['function'])['name'])),
      ...workingFolder(messages),
    }
  },
  whole: (answer) => ({
    ...head(answer, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(answer), finish_reason: finishReason(answer) }],
    usage: usageOf(answer),
  }),
  events,
  failure: (failure: Failure): FailureAnswer => openAiFailure(failure),
}

const ROLES: Readonly<Record<string, ModelMessage['role']>> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  tool: 'tool',
}

function messageFrom(message: JsonObject): ModelMessage {
  const role = ROLES[textIn(message['role'])] ?? 'user'
  const text = contentText(message['content'])
  const calls = objectsIn(message['tool_calls']).map((call) => {
    const { name, arguments: given } = objectIn(call['function'])
    return { id: textIn(call['id']), name: textIn(name), input: parseOrText(textIn(given)) }
  })
  return role === 'tool'
    ? { role, text: '', calls, results: [{ id: textIn(message['tool_call_id']), text }] }
    : { role, text, calls, results: [] }
}

function messageOf(answer: Answer): Json {
  const calls = answer.call && {
    tool_calls: [{ ...callHead(answer), function: { name: answer.call.name, arguments: input(answer) } }],
  }
  return { role: 'assistant', content: answer.say ?? null, refusal: null, ...calls }
}

function events(answer: Answer): readonly StreamEvent[] {
  const { call } = answer
  const deltas: JsonObject[] = [
    { role: 'assistant', content: '' },
    ...pieces(answer.say ?? '').map((content) => ({ content })),
    ...(call
      ? [
          { tool_calls: [{ index: 0, ...callHead(answer), function: { name: call.name, arguments: '' } }] },
          ...pieces(input(answer)).map((part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
        ]
      : []),
  ]
  const chunk = head(answer, 'chat.completion.chunk')
  const wantsUsage = objectIn(answer.body['stream_options'])['include_usage'] === true
  return [
    ...deltas.map((delta) => ({ data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } })),
    { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finishReason(answer) }] } },
    ...(wantsUsage ? [{ data: { ...chunk, choices: [], usage: usageOf(answer) } }] : []),
    { data: '[DONE]' },
  ]
}

function head({ number, turn }: Answer, object: string): JsonObject {
  return { id: `chatcmpl-${number}`, object, created: Math.floor(Date.now() / 1000), model: turn.model }
}

function callHead({ number }: Answer): JsonObject {
  return { id: `call_${number}`, type: 'function' }
}

function input({ call }: Answer): string {
  return JSON.stringify(call?.input ?? {})
}

function finishReason({ call }: Answer): string {
  return call ? 'tool_calls' : 'stop'
}

function usageOf({ inputTokens, outputTokens }: Answer): Json {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
}
