import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import {
  type Answer,
  type Api,
  type AskRoute,
  eventFrames,
  type Failure,
  isFault,
  type ModelFault,
  type ModelReply,
  type ModelTurn,
  type StreamFrames,
} from './api.ts'
import { chatApi } from './chat-api.ts'
import { geminiApi } from './gemini-api.ts'
import { messagesApi } from './messages-api.ts'
import { responsesApi } from './responses-api.ts'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ModelServerOptions {
  /**
   * The script. Rely on the conversation and on the state of files, never on the number of calls: agents make side calls
   * (titles, classifiers, summaries).
   */
  readonly reply: (turn: ModelTurn) => ModelReply | Promise<ModelReply>
  /** How many requests to keep and answer. Later ones get a 400, so that no agent continues for ever. Default 200. */
  readonly requestsMax?: number
  /** Longer requests get a 413. Default 16 MiB. */
  readonly bodyBytesMax?: number
}

/** One request as received. */
export interface ModelRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Empty if there was none, or if it wasn't a JSON object. */
  readonly body: JsonObject
  /** Absent if the request didn't ask the model anything. */
  readonly turn?: ModelTurn
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a path. OpenAI clients need `/v1` added; the others take it as it is. */
  readonly url: string
  /** The requests so far, in order. */
  readonly requests: readonly ModelRequest[]
  /** Stops the server, even in the middle of answers. Throws the script's error if it had one. */
  close(): Promise<void>
}

/**
 * Starts a scripted model on localhost that speaks OpenAI Responses, Anthropic Messages, Gemini and OpenAI Chat Completions,
 * with and without streaming. With it you can run a real agent in a test, without a key and without the network.
 */
export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const model = new ScriptedModel(options)
  const server = createServer((request, response) => void model.answer(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    model.closing.abort()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
    if (model.troubles.length > 0) throw model.troubles[0]
  }
  return { url: `http://127.0.0.1:${port}`, requests: model.requests, close, [Symbol.asyncDispose]: close }
}

const APIS: readonly Api[] = [responsesApi, messagesApi, geminiApi, chatApi]

/** Requests have only a path, so the host doesn't matter. */
const HERE = 'http://127.0.0.1'

class ScriptedModel {
  readonly requests: ModelRequest[] = []
  readonly troubles: PawlError[] = []
  readonly closing = new AbortController()
  readonly #reply: ModelServerOptions['reply']
  readonly #requestsMax: number
  readonly #bodyBytesMax: number

  constructor({ reply, requestsMax = 200, bodyBytesMax = 16 * 1024 * 1024 }: ModelServerOptions) {
    for (const [name, value] of Object.entries({ requestsMax, bodyBytesMax })) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new PawlError('model-server.bad-option', `modelServer: ${name} must be a whole number from 1, not ${value}.`, {
          value,
        })
      }
    }
    this.#reply = reply
    this.#requestsMax = requestsMax
    this.#bodyBytesMax = bodyBytesMax
  }

  /** Never rejects: the agent gets an error response, and `close` throws the script's errors. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The agent has ended, or this server cut the connection, so nobody needs to know.
    response.on('error', () => undefined)
    const text = await bodyText(request, this.#bodyBytesMax).catch(() => undefined)
    if (text === undefined) return void response.destroy()
    const method = request.method ?? 'GET'
    const path = request.url ?? '/'
    const url = URL.parse(path, HERE) ?? new URL(HERE)
    const [api, route] = findRoute(method, url)
    const body = text === 'too long' ? undefined : jsonObject(text)
    const turn = route?.kind === 'ask' && body ? api.turn(body, route) : undefined
    const refused = this.#refusal({
      isFound: route !== undefined,
      isTooLong: text === 'too long',
      wantsBody: route?.kind === 'ask',
      body,
    })
    if (this.requests.length < this.#requestsMax) {
      this.requests.push({ method, path, headers: request.headers, body: body ?? {}, ...(turn && { turn }) })
    }
    if (refused) return sendFailure(response, api, refused)
    if (route?.kind === 'aside') return sendJson(response, 200, route.answer)
    await this.#answerTurn(response, api, route as AskRoute, body as JsonObject, turn as ModelTurn)
  }

  async #answerTurn(response: ServerResponse, api: Api, route: AskRoute, body: JsonObject, turn: ModelTurn): Promise<void> {
    const number = this.requests.length
    try {
      const reply = await this.#reply(turn)
      await answerTurn({ response, api, route, body, turn, reply, number, signal: this.closing.signal })
    } catch (cause) {
      if (this.closing.signal.aborted) return
      const trouble = new PawlError(
        'model-server.script-failed',
        `The script of modelServer failed on request ${number}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      )
      this.troubles.push(trouble)
      if (response.headersSent) response.destroy()
      else sendFailure(response, api, refusal(400, trouble.message))
    }
  }

  #refusal(asked: {
    readonly isFound: boolean
    readonly isTooLong: boolean
    readonly wantsBody: boolean
    readonly body: JsonObject | undefined
  }): Failure | undefined {
    if (this.requests.length >= this.#requestsMax) {
      return refusal(400, `The scripted model has answered ${this.#requestsMax} requests, which is its requestsMax.`)
    }
    if (asked.isTooLong) return refusal(413, `The request is longer than ${this.#bodyBytesMax} bytes.`)
    if (!asked.isFound) return refusal(404, 'The scripted model does not know this address.')
    return asked.wantsBody && !asked.body ? refusal(400, 'The request is not a JSON object.') : undefined
  }
}

function findRoute(method: string, url: URL) {
  for (const api of APIS) {
    const route = api.route(method, url)
    if (route) return [api, route] as const
  }
  return [chatApi, undefined] as const
}

function refusal(status: 400 | 404 | 413, message: string): Failure {
  return { status, message }
}

async function bodyText(request: IncomingMessage, bytesMax: number): Promise<string | 'too long'> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Read to the end even if it is too long: an agent that can't finish writing never reads the refusal.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes > bytesMax ? 'too long' : Buffer.concat(chunks).toString('utf8')
}

function jsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

export interface TurnToAnswer {
  readonly response: ServerResponse
  readonly api: Api
  readonly route: AskRoute
  readonly body: JsonObject
  readonly turn: ModelTurn
  readonly reply: ModelReply
  readonly number: number
  /** When aborted, nothing more is sent. */
  readonly signal: AbortSignal
}

/** Sends the script's answer, or fails as the script says. */
async function answerTurn(asked: TurnToAnswer): Promise<void> {
  const { reply, response, api } = asked
  const failure = isFault(reply) ? failureOf(reply) : undefined
  if (failure) return sendFailure(response, api, failure)
  const { contentType, frames } = framesOf(asked)
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' })
  if (isFault(reply) && reply.fault === 'cut-stream') return cutStream(response, frames)
  if (isFault(reply) && reply.fault === 'slow-stream') return sendSlowly(asked, frames, reply.gapMs ?? 1000)
  response.end(frames.join(''))
}

function failureOf(fault: ModelFault): Failure | undefined {
  switch (fault.fault) {
    case 'unauthorized':
      return { status: 401, message: 'The API key is not valid.' }
    case 'rate-limited': {
      const { resetInSeconds = 20, isUsedUp = false } = fault
      return { status: 429, message: isUsedUp ? 'The usage limit is reached.' : 'Rate limit reached.', resetInSeconds, isUsedUp }
    }
    case 'server-error':
      return { status: 500, message: 'The server had an error.' }
    default:
      return undefined
  }
}

/** Without streaming there is one frame: the whole document. */
function framesOf(asked: TurnToAnswer): StreamFrames {
  const { api, route, turn, reply } = asked
  const answer = answerOf(asked)
  const nonsense = isFault(reply) && reply.fault === 'nonsense' ? reply.kind : undefined
  if (!turn.isStreaming) {
    const text = nonsense === 'not-json' ? NOT_JSON : JSON.stringify(nonsense === 'wrong-order' ? [] : api.whole(answer))
    return { contentType: 'application/json', frames: [text] }
  }
  const events = api.events(answer)
  const sent =
    nonsense === 'not-json'
      ? events.map((event) => ({ ...event, data: NOT_JSON }))
      : nonsense === 'wrong-order'
        ? events.toReversed()
        : events
  return (api.frames ?? eventFrames)(sent, route)
}

const NOT_JSON = '<html>502 Bad Gateway</html>'

function answerOf({ reply, turn, body, number }: TurnToAnswer): Answer {
  const { say, call, usage } = reply as { readonly say?: string } & Pick<Answer, 'call' | 'usage'>
  return {
    ...(say !== undefined && { say }),
    ...(call && { call }),
    turn,
    body,
    number,
    inputTokens: usage?.inputTokens ?? 100,
    outputTokens: usage?.outputTokens ?? 10,
  }
}

/** Sends everything up to the middle of the middle event, then breaks the connection. */
async function cutStream(response: ServerResponse, frames: readonly string[]): Promise<void> {
  const middle = Math.floor(frames.length / 2)
  const broken = frames[middle] ?? ''
  const text = frames.slice(0, middle).join('') + broken.slice(0, Math.ceil(broken.length / 2))
  await new Promise<void>((resolve) => response.write(text, () => resolve()))
  response.socket?.destroy()
}

async function sendSlowly({ response, signal }: TurnToAnswer, frames: readonly string[], gapMs: number): Promise<void> {
  const gone = AbortSignal.any([signal, goneSignal(response)])
  response.flushHeaders()
  for (const frame of frames) {
    const isInTime = await sleep(gapMs, true, { signal: gone }).catch(() => false)
    if (!isInTime) return
    if (!response.write(frame)) await once(response, 'drain', { signal: gone }).catch(() => undefined)
  }
  response.end()
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

/** Sends a JSON document. */
function sendJson(response: ServerResponse, status: number, body: Json, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Sends a failure in the API's format. */
function sendFailure(response: ServerResponse, api: Api, failure: Failure): void {
  const { body, headers } = api.failure(failure)
  sendJson(response, failure.status, body, headers)
}
