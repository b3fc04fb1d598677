import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { answerTurn } from './answer-turn.ts'
import type { Api, AskRoute, Failure } from './api.ts'
import { chatApi } from './chat-api.ts'
import { geminiApi } from './gemini-api.ts'
import { messagesApi } from './messages-api.ts'
import type { ModelReply } from './reply.ts'
import { responsesApi } from './responses-api.ts'
import { sendFailure, sendJson } from './send.ts'
import type { ModelTurn } from './turn.ts'

export interface ModelServerOptions {
  /**
   * The script. Go by the conversation and by the state of files, never by a count of calls: agents make side calls (titles,
   * classifiers, summaries) that put counts out of step.
   */
  readonly reply: (turn: ModelTurn) => ModelReply | Promise<ModelReply>
  /** How many requests are kept and answered; after that every one is refused with 400, so that no agent goes on for ever. Default 200. */
  readonly requestsMax?: number
  /** How long one request may be; a longer one is refused with 413. Default 16 MiB. */
  readonly bodyBytesMax?: number
}

/** One request as it came in. */
export interface ModelRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Empty when there was none, or none that is a JSON object. */
  readonly body: JsonObject
  /** Absent when it was no question to the model. */
  readonly turn?: ModelTurn
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a path: OpenAI's base address is this with `/v1`, the others take it as it is. */
  readonly url: string
  /** What was asked so far, in order. */
  readonly requests: readonly ModelRequest[]
  /** Ends everything, answers that are still under way too. Throws what the script threw, if it did. */
  close(): Promise<void>
}

/**
 * Starts a scripted model on loopback that speaks OpenAI Responses, Anthropic Messages, Gemini and OpenAI Chat Completions, with
 * streaming and without, so that a real agent can be run in a test without a key and without the network.
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

/** Requests name a path only; which host it is does not matter. */
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

  /** Never rejects: what goes wrong is told to the agent, and kept for `close` when it is the script's fault. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // An agent that was ended, or a connection we cut ourselves; nobody is there to be told.
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
  // Read to the end even when it is too long: an agent that cannot finish writing never reads the refusal.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes > bytesMax ? 'too long' : Buffer.concat(chunks).toString('utf8')
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
