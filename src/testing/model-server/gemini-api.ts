import type { Json, JsonObject } from '../../core/json.ts'
import {
  type Answer,
  type Api,
  dataText,
  eventFrames,
  type Failure,
  type FailureAnswer,
  type ModelMessage,
  type StreamEvent,
  type StreamFrames,
} from './api.ts'
import { contentText, objectIn, objectsIn, pieces, textIn, workingFolder } from './read-json.ts'

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/

/**
 * Google Gemini: `POST …/models/MODEL:generateContent` and `:streamGenerateContent`, as events with `?alt=sse`, otherwise as
 * one growing list. `:countTokens` doesn't call the script.
 */
export const geminiApi: Api = {
  route: (method, url) => {
    const action = method === 'POST' ? PATH.exec(url.pathname)?.[2] : undefined
    if (action === 'countTokens') return { kind: 'aside', answer: { totalTokens: 100 } }
    return action === undefined ? undefined : { kind: 'ask', url }
  },
  turn: (body, { url }) => {
    const [, model = '', action] = PATH.exec(url.pathname) ?? []
    const system = contentText(objectIn(body['systemInstruction'])['parts'])
    const messages = [
      ...(system === '' ? [] : [{ role: 'system' as const, text: system, calls: [], results: [] }]),
      ...objectsIn(body['contents']).map(messageFrom),
    ]
    return {
      api: 'gemini',
      model,
      isStreaming: action === 'streamGenerateContent',
      messages,
      tools: objectsIn(body['tools']).flatMap((tool) => objectsIn(tool['functionDeclarations']).map(({ name }) => textIn(name))),
      ...workingFolder(messages),
    }
  },
  whole: (answer) => chunk(answer, [...(answer.say === undefined ? [] : [{ text: answer.say }]), ...callParts(answer)], true),
  events,
  frames: (all, { url }) => (url.searchParams.get('alt') === 'sse' ? eventFrames(all) : listFrames(all)),
  failure,
}

function messageFrom(content: JsonObject): ModelMessage {
  const parts = objectsIn(content['parts'])
  const results = parts.flatMap(({ functionResponse }) => {
    if (functionResponse === undefined) return []
    const { id, response } = objectIn(functionResponse)
    return [{ id: textIn(id), text: resultText(response) }]
  })
  const calls = parts.flatMap(({ functionCall }) => {
    if (functionCall === undefined) return []
    const { id, name, args } = objectIn(functionCall)
    return [{ id: textIn(id), name: textIn(name), input: args ?? {} }]
  })
  const role = content['role'] === 'model' ? 'assistant' : results.length > 0 ? 'tool' : 'user'
  return { role, text: contentText(content['parts']), calls, results }
}

function resultText(response: Json | undefined): string {
  const { output, error } = objectIn(response)
  return textIn(output) || textIn(error) || JSON.stringify(response ?? {})
}

function callParts({ call, number }: Answer): readonly JsonObject[] {
  return call ? [{ functionCall: { id: `call_${number}`, name: call.name, args: call.input } }] : []
}

function events(answer: Answer): readonly StreamEvent[] {
  const parts = [...pieces(answer.say ?? '').map((text) => ({ text })), ...callParts(answer)]
  const all = parts.length === 0 ? [{ text: '' }] : parts
  return all.map((part, index) => ({ data: chunk(answer, [part], index === all.length - 1) }))
}

function chunk({ turn, number, inputTokens, outputTokens }: Answer, parts: readonly JsonObject[], isLast: boolean): Json {
  return {
    candidates: [{ content: { role: 'model', parts }, ...(isLast && { finishReason: 'STOP' }), index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: turn.model,
    responseId: `response-${number}`,
  }
}

function listFrames(all: readonly StreamEvent[]): StreamFrames {
  const last = all.length - 1
  const frames = all.map((event, index) => `${index === 0 ? '[' : ',\n'}${dataText(event)}${index === last ? ']' : ''}`)
  return { contentType: 'application/json', frames }
}

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
}

function failure({ status, message, resetInSeconds = 0, isUsedUp = false }: Failure): FailureAnswer {
  const error = { code: status, message, status: STATUSES[status] ?? 'INVALID_ARGUMENT' }
  if (status !== 429) return { body: { error } }
  const violation = {
    quotaMetric: 'generate_requests',
    quotaId: `GenerateRequestsPer${isUsedUp ? 'Day' : 'Minute'}PerProjectPerModel`,
  }
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${resetInSeconds}s` },
  ]
  return { body: { error: { ...error, message: `${message} Please retry in ${resetInSeconds}s.`, details } } }
}
