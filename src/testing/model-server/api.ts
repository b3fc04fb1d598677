import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelAnswer } from './reply.ts'
import type { ModelTurn } from './turn.ts'

/** One wire format: how requests are read and answers are written. Everything else is the same for all. */
export interface Api {
  /** What is asked for at this address; undefined when it is not of this API. */
  route(method: string, url: URL): Route | undefined
  /** The question in the request. */
  turn(body: JsonObject, route: AskRoute): ModelTurn
  /** The answer in one piece. */
  whole(answer: Answer): Json
  /** The answer as a stream, in order. */
  events(answer: Answer): readonly StreamEvent[]
  /** How a stream is put into bytes. Default: server-sent events. */
  readonly frames?: (events: readonly StreamEvent[], route: AskRoute) => StreamFrames
  /** A failure in the API's own shape. */
  failure(failure: Failure): FailureAnswer
}

/** `aside`: answered at once, without asking the script. */
export type Route = AskRoute | { readonly kind: 'aside'; readonly answer: Json }

export interface AskRoute {
  readonly kind: 'ask'
  readonly url: URL
}

/** What the script answered, ready to be written down. */
export interface Answer extends ModelAnswer {
  readonly turn: ModelTurn
  /** The request it answers, for what an API wants back. */
  readonly body: JsonObject
  /** Of this answer, counted from 1: ids are made from it. */
  readonly number: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface StreamEvent {
  /** Absent where the API's events have no names. */
  readonly name?: string
  /** Text stands as it is; everything else becomes JSON. */
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
  /** For 429: the limit is that of a plan or a day. */
  readonly isUsedUp?: boolean
}

export interface FailureAnswer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Json
}
