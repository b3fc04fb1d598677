import { setTimeout as sleep } from 'node:timers/promises'
import {
  client,
  type ClientContext,
  type InitializeResponse,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { AgentAsk } from '../../core/agent-ask.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { cleanText } from '../../process/output.ts'
import type { Talk } from '../../process/talk-to-command.ts'
import { redactedLine } from '../../secrets/filter.ts'
import type { WorkRequest } from '../agent.ts'
import { FolderRefusal, readTextIn, writeTextIn } from '../folder-files.ts'
import { AnsweredAsks, elicitationAnswer, elicitationAsk, permissionAsk, type Permissions } from './asks.ts'
import { messageStream } from './message-stream.ts'
import type { SessionRecord } from './session-record.ts'

export interface TalkSettings {
  readonly permissions: Permissions
  readonly mode?: string
  readonly model?: string
  readonly authMethod?: string
}

/** What a turn came to. `canGoOn`: the agent can take its session up again. */
export type Talked =
  | { readonly kind: 'ended'; readonly response: PromptResponse; readonly session: Session }
  /** `response` is how the agent ended the turn that was called off, where it still did. */
  | { readonly kind: 'asked'; readonly ask: AgentAsk; readonly session: Session; readonly response?: PromptResponse }
  | { readonly kind: 'refused'; readonly refusal: AcpRefusal; readonly session?: Session }

export interface Session {
  readonly id: string
  readonly canGoOn: boolean
  /** Set when it goes on from earlier work, with what it had cost until then where it says so. */
  readonly isContinued: boolean
  readonly costUsdBefore?: number
  /** A sentence for people, where earlier work was to go on and could not. */
  readonly beganAnew?: string
}

export interface HeldTalk {
  readonly request: WorkRequest
  readonly context: EffectContext
  readonly settings: TalkSettings
  readonly record: SessionRecord
  readonly talk: Talk
  /** The session to go on with. */
  readonly wanted: string | undefined
}

/** Holds one turn with an agent over ACP: opens a session, hands it the brief, serves what it asks for, until it says that it is done. */
export async function holdTalk(held: HeldTalk): Promise<Talked> {
  const { request, record, talk, context, settings } = held
  const stop = new AbortController()
  const asks = new AnsweredAsks({
    context,
    permissions: settings.permissions,
    pauseLimit: talk.pauseLimit,
    onStop: () => stop.abort(),
  })
  const listener = {
    onUpdate: (update: SessionUpdate) => record.update(update),
    onNoise: (bytes: Buffer) => record.noise(bytes),
  }
  const connection = clientApp(request.cwd, record, asks).connect(messageStream(talk.input, talk.output, listener))
  const { agent } = connection
  let session: Session | undefined
  let cancel: (() => void) | undefined
  try {
    session = await openSession(agent, held)
    record.session = session
    const { id } = session
    cancel = () => void agent.notify(methods.agent.session.cancel, { sessionId: id }).catch(() => undefined)
    talk.signal.addEventListener('abort', cancel)
    stop.signal.addEventListener('abort', cancel)
    if (talk.signal.aborted) cancel()
    const prompt = [{ type: 'text' as const, text: request.brief }]
    const prompted = agent.request<PromptResponse, PromptRequest>(methods.agent.session.prompt, { sessionId: id, prompt })
    const response: PromptResponse | undefined = await Promise.race([prompted, afterStop(stop.signal)])
    if (asks.trouble) throw asks.trouble.error
    if (asks.waiting) return { kind: 'asked', ask: asks.waiting, session, ...(response ? { response } : {}) }
    return { kind: 'ended', response: response ?? { stopReason: 'cancelled' }, session }
  } catch (error) {
    if (asks.trouble) throw asks.trouble.error
    if (asks.waiting && session) return { kind: 'asked', ask: asks.waiting, session }
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { kind: 'refused', refusal, ...(session === undefined ? {} : { session }) }
  } finally {
    // A turn that is over is not called off.
    if (cancel) talk.signal.removeEventListener('abort', cancel)
    connection.close()
  }
}

/** How long an agent may take to end a turn that was called off. */
const CANCEL_MS_MAX = 2000

async function afterStop(signal: AbortSignal): Promise<undefined> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await sleep(CANCEL_MS_MAX, undefined, { ref: false })
}

/** Our side: what an agent may ask of us. Files only in the folder, no terminals. */
function clientApp(cwd: string, record: SessionRecord, asks: AnsweredAsks) {
  return client({ name: 'pawl' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const answer = await asks.answer(await permissionAsk(params, record.known(params.toolCall)))
      return { outcome: answer ? { outcome: 'selected', optionId: answer.option } : { outcome: 'cancelled' } }
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => {
      const answer = await asks.answer(await elicitationAsk(params))
      return answer ? elicitationAnswer(params, answer) : { action: 'cancel' }
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params: { path, line, limit } }) => {
      const content = await granted(readTextIn(cwd, path))
      if (line == null && limit == null) return { content }
      const start = Math.max(0, (line ?? 1) - 1)
      return {
        content: content
          .split('\n')
          .slice(start, start + (limit ?? Infinity))
          .join('\n'),
      }
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
      record.wrote(await granted(writeTextIn(cwd, path, content)))
      return {}
    })
}

/** What the folder refuses is told to the agent as such; it may go on otherwise. */
async function granted<Value>(wish: Promise<Value>): Promise<Value> {
  return wish.catch((error: unknown) => {
    if (error instanceof FolderRefusal) throw RequestError.invalidParams(undefined, error.message)
    throw error
  })
}

async function openSession(agent: ClientContext, held: HeldTalk): Promise<Session> {
  const { request, settings, record, wanted, context } = held
  const hello = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false, elicitation: { form: {} } },
    clientInfo: { name: 'pawl', title: 'Pawl', version: '1' },
  })
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new Unfit(
      `It speaks version ${hello.protocolVersion} of the Agent Client Protocol, and Pawl version ${PROTOCOL_VERSION}.`,
    )
  if (settings.authMethod !== undefined) await agent.request(methods.agent.authenticate, { methodId: settings.authMethod })
  const canGoOn = isAbleToGoOn(hello)
  const place = { cwd: request.cwd, mcpServers: [] }
  const taken: Taken | undefined = wanted === undefined ? undefined : await takenUp(agent, hello, { ...place, sessionId: wanted })
  if (taken?.beganAnew !== undefined) context.progress(taken.beganAnew)
  record.forget()
  const known = taken?.opened
  const fresh = known ? undefined : await agent.request<NewSessionResponse, NewSessionRequest>(methods.agent.session.new, place)
  const opened: Opened = known ?? fresh ?? {}
  const id = fresh?.sessionId ?? wanted ?? ''
  await setUp(agent, id, opened, settings)
  const { costUsd } = record
  const isContinued = known !== undefined
  return {
    id,
    canGoOn,
    isContinued,
    ...(isContinued && costUsd !== undefined ? { costUsdBefore: costUsd } : {}),
    ...(taken?.beganAnew === undefined ? {} : { beganAnew: taken.beganAnew }),
  }
}

type Opened = Pick<NewSessionResponse, 'modes' | 'configOptions'>

function isAbleToGoOn({ agentCapabilities: { loadSession, sessionCapabilities } = {} }: InitializeResponse): boolean {
  return loadSession === true || (sessionCapabilities?.resume ?? undefined) !== undefined
}

interface Taken {
  readonly opened?: Opened
  readonly beganAnew?: string
}

/** The earlier session, where the agent can take it up; else why a new one begins. */
async function takenUp(agent: ClientContext, hello: InitializeResponse, session: EarlierSession): Promise<Taken> {
  if (!isAbleToGoOn(hello)) return { beganAnew: 'It cannot take up an earlier session, so a new one began.' }
  try {
    return { opened: await resumedOrLoaded(agent, hello, session) }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const why = await redactedLine(cleanText(refusal.message), REASON_LENGTH_MAX)
    return { beganAnew: `Its earlier session could not be taken up (${why}), so a new one began.` }
  }
}

const REASON_LENGTH_MAX = 200

interface EarlierSession {
  readonly sessionId: string
  readonly cwd: string
  readonly mcpServers: never[]
}

/** `resume` tells no history, `load` tells all of it. Qwen Code 0.15 says that it can resume, and knows no such request. */
async function resumedOrLoaded(
  agent: ClientContext,
  { agentCapabilities: { loadSession, sessionCapabilities } = {} }: InitializeResponse,
  session: EarlierSession,
): Promise<Opened> {
  if (sessionCapabilities?.resume) {
    try {
      return await agent.request(methods.agent.session.resume, session)
    } catch (error) {
      if (!loadSession || !isUnknownMethod(error)) throw error
    }
  }
  const loaded: Opened = await agent.request<Opened, EarlierSession>(methods.agent.session.load, session)
  // Gemini CLI tells the rest of the history after its answer.
  await sleep(HISTORY_MS)
  return loaded
}

const HISTORY_MS = 50

/** Mode and model, as far as they were asked for. What the agent does not have is a mistake in the settings. */
async function setUp(agent: ClientContext, sessionId: string, opened: Opened, { mode, model }: TalkSettings): Promise<void> {
  if (mode !== undefined && mode !== opened.modes?.currentModeId) {
    requireOffered('mode', mode, opened.modes?.availableModes.map(({ id }) => id) ?? [])
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
  }
  if (model !== undefined) await setModel(agent, sessionId, opened, model)
}

/** As one of its options, as the protocol has it, else in the way that came before it; not every agent has either. */
async function setModel(agent: ClientContext, sessionId: string, opened: Opened, model: string): Promise<void> {
  const option = opened.configOptions?.find(({ category, type }) => category === 'model' && type === 'select')
  const { models } = opened as { readonly models?: { readonly availableModels?: readonly { readonly modelId: string }[] } | null }
  if (models?.availableModels && !option)
    requireOffered(
      'model',
      model,
      models.availableModels.map(({ modelId }) => modelId),
    )
  try {
    if (option) await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option.id, value: model })
    else await agent.request('session/set_model', { sessionId, modelId: model })
  } catch (error) {
    if (isUnknownMethod(error)) requireOffered('model', model, [])
    throw error
  }
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RequestError && error.code === METHOD_NOT_FOUND
}

const METHOD_NOT_FOUND = -32601

function requireOffered(what: 'mode' | 'model', wanted: string, offered: readonly string[]): void {
  if (offered.includes(wanted)) return
  throw new Unfit(
    offered.length === 0
      ? `It does not let its ${what} be set over the protocol, so "${wanted}" cannot be used: leave it out, and set the ${what} in the agent's own settings or in its command.`
      : `It has no ${what} "${wanted}": there are ${offered.join(', ')}.`,
  )
}

/** What the agent is or has does not fit the settings. */
export class Unfit extends Error {}

/** An error that the agent answered with; `unfit` where it is ours. */
export interface AcpRefusal {
  readonly code: number | 'unfit'
  readonly message: string
  /** All that it said, as JSON. */
  readonly source: string
}

/** The error as one that can be told; `undefined` for a defect, or an end of the connection. */
export function refusalOf(error: unknown): AcpRefusal | undefined {
  if (error instanceof Unfit) return { code: 'unfit', message: error.message, source: '' }
  if (!(error instanceof RequestError)) return undefined
  const { code, message, data } = error
  const detail = detailIn(data)
  const said = detail === undefined || message.includes(detail) ? message : `${message}: ${detail}`
  return { code, message: said, source: JSON.stringify({ code, message, data }) ?? '' }
}

/** Agents put the telling part into `data`, in several ways. */
function detailIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  if (typeof data !== 'object' || data === null) return undefined
  const { details, message, error } = data as Readonly<Record<string, unknown>>
  const inner = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)['message'] : error
  return [details, message, inner].find((each) => typeof each === 'string')
}

/** The agent wants to be logged in first. */
export const AUTH_REQUIRED = -32000
