import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../core/json.ts'
import type { Answer, Api, AskRoute, Failure, StreamFrames } from './api.ts'
import { eventFrames } from './event-frames.ts'
import { isFault, type ModelFault, type ModelReply } from './reply.ts'
import { sendFailure } from './send.ts'
import type { ModelTurn } from './turn.ts'

export interface TurnToAnswer {
  readonly response: ServerResponse
  readonly api: Api
  readonly route: AskRoute
  readonly body: JsonObject
  readonly turn: ModelTurn
  readonly reply: ModelReply
  readonly number: number
  /** Aborted: nothing more is sent. */
  readonly signal: AbortSignal
}

/** Sends what the script answered, or fails as it said. */
export async function answerTurn(asked: TurnToAnswer): Promise<void> {
  const { reply, response, api } = asked
  const failure = isFault(reply) ? failureOf(reply) : undefined
  if (failure) return sendFailure(response, api, failure)
  const { contentType, frames } = framesOf(asked)
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' })
  if (isFault(reply) && reply.fault === 'cut-stream') return cut(response, frames)
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
  const told =
    nonsense === 'not-json'
      ? events.map((event) => ({ ...event, data: NOT_JSON }))
      : nonsense === 'wrong-order'
        ? events.toReversed()
        : events
  return (api.frames ?? eventFrames)(told, route)
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

/** All up to the middle of the middle event, and then the connection breaks. */
async function cut(response: ServerResponse, frames: readonly string[]): Promise<void> {
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
