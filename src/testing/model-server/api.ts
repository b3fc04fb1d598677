import type { Json, JsonObject } from '../../core/json.ts'

/** One wire format: how to read requests and write answers. Everything else is shared. */
export interface Api {
  /** What the request asks for; undefined if the address isn't part of this API. */
  route(method: string, url: URL): Route | undefined
  /** The conversation in the request. */
  turn(body: JsonObject, route: AskRoute): ModelTurn
  /** The answer in one piece. */
  whole(answer: Answer): Json
  /** The answer as stream events, in order. */
  events(answer: Answer): readonly StreamEvent[]
  /** How to encode a stream. Default: server-sent events. */
  readonly frames?: (events: readonly StreamEvent[], route: AskRoute) => StreamFrames
  /** A failure in the API's own format. */
  failure(failure: Failure): FailureAnswer
}

/** `aside`: answered at once, without calling the script. */
export type Route = AskRoute | { readonly kind: 'aside'; readonly answer: Json }

export interface AskRoute {
  readonly kind: 'ask'
  readonly url: URL
}

/** The script's answer, ready to be encoded. */
export interface Answer extends ModelAnswer {
  readonly turn: ModelTurn
  /** The request it answers, because some APIs repeat parts of it. */
  readonly body: JsonObject
  /** The answer's number, counted from 1. Ids are made from it. */
  readonly number: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface StreamEvent {
  /** Absent if the API's events have no names. */
  readonly name?: string
  /** A string is sent as it is; everything else becomes JSON. */
  readonly data: Json
}

export interface StreamFrames {
  readonly contentType: string
  /** One for each event. */
  readonly frames: readonly string[]
}

export interface Failure {
  readonly status: 400 | 401 | 404 | 413 | 429 | 500
  readonly message: string
  /** For 429. Default 0. */
  readonly resetInSeconds?: number
  /** For 429: the limit is per plan or per day, not per minute. */
  readonly isUsedUp?: boolean
}

export interface FailureAnswer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Json
}

/** The wire formats the scripted model speaks. */
export type ModelApi = 'responses' | 'messages' | 'gemini' | 'chat'

/** A tool call that the model requested earlier. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  /** The tool's input: an object, or a string for tools that take one. */
  readonly input: Json
}

/** A tool's result. */
export interface ModelToolResult {
  /** The id of its call; empty if the API has none. */
  readonly id: string
  readonly text: string
}

/** One message of the conversation, in the same format for every API. A message with tool results has the role `tool`. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly calls: readonly ModelToolCall[]
  readonly results: readonly ModelToolResult[]
}

/** What the model is asked. A script should rely only on this and on the state of files. */
export interface ModelTurn {
  readonly api: ModelApi
  readonly model: string
  readonly isStreaming: boolean
  /** Oldest first, starting with the system's instructions. */
  readonly messages: readonly ModelMessage[]
  /** Names of the tools the agent offers. Side calls (titles, summaries) usually offer none. */
  readonly tools: readonly string[]
  /** The agent's working directory, if the conversation mentions it. */
  readonly cwd?: string
}

/** The messages after the last one from a person, or from a hook that speaks as one. */
export function sinceUser(turn: ModelTurn): readonly ModelMessage[] {
  const messages = turn.messages.filter(({ role }) => role !== 'system')
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}

/** What the scripted model answers: text, a tool call, both, or one of the ways in which providers fail. */
export type ModelReply = ModelAnswer | ModelFault

export interface ModelAnswer {
  readonly say?: string
  /** The tool to call. `input` is an object, or a string for tools that take one. */
  readonly call?: { readonly name: string; readonly input: Json }
  readonly usage?: ModelUsage
}

export interface ModelUsage {
  /** Default 100. */
  readonly inputTokens?: number
  /** Default 10. */
  readonly outputTokens?: number
}

/**
 * - `unauthorized` 401.
 * - `rate-limited` 429, with the reset time where the API puts it. Default: in 20 s, for a limit per minute, which agents wait for;
 *   with `isUsedUp` for a plan or a day, which they don't wait for.
 * - `server-error` 500.
 * - `cut-stream` the connection breaks in the middle of an event.
 * - `slow-stream` the answer comes with `gapMs` before each event. Default 1000.
 * - `nonsense` status 200 and an answer that isn't JSON, or whose events are in the wrong order (without streaming: an answer of the
 *   wrong shape).
 */
export type ModelFault =
  | { readonly fault: 'unauthorized' }
  | { readonly fault: 'rate-limited'; readonly resetInSeconds?: number; readonly isUsedUp?: boolean }
  | { readonly fault: 'server-error' }
  | ({ readonly fault: 'cut-stream' } & ModelAnswer)
  | ({ readonly fault: 'slow-stream'; readonly gapMs?: number } & ModelAnswer)
  | ({ readonly fault: 'nonsense'; readonly kind: 'not-json' | 'wrong-order' } & ModelAnswer)

/** Whether a reply is a failure. */
export function isFault(reply: ModelReply): reply is ModelFault {
  return 'fault' in reply
}

/** Encodes server-sent events, one frame each. */
export function eventFrames(events: readonly StreamEvent[]): StreamFrames {
  const frames = events.map((event) => `${event.name === undefined ? '' : `event: ${event.name}\n`}data: ${dataText(event)}\n\n`)
  return { contentType: 'text/event-stream', frames }
}

/** An event's data: a string as it is, everything else as JSON. */
export function dataText({ data }: StreamEvent): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}
