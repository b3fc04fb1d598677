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
import { AnsweredAsks, elicitationAnswer, elicitationAsk, permissionAsk } from './asks.ts'
import type { Permissions } from '../agent-settings.ts'
import { messageStream } from './message-stream.ts'
import type { SessionRecord } from './session-record.ts'

export interface TalkSettings {
  readonly permissions: Permissions
  readonly mode?: string
  readonly model?: string
  readonly authMethod?: string
}

/** How a turn ended. */
export type Talked =
  /** `isWarned` if an earlier turn was cancelled to warn the agent. */
  | { readonly kind: 'ended'; readonly response: PromptResponse; readonly session: Session; readonly isWarned?: true }
  /** `response` is how the agent ended the cancelled turn, if it did. */
  | { readonly kind: 'asked'; readonly ask: AgentAsk; readonly session: Session; readonly response?: PromptResponse }
  | { readonly kind: 'refused'; readonly refusal: AcpRefusal; readonly session?: Session }

export interface Session {
  readonly id: string
  /** Whether the agent can continue this session later. */
  readonly canGoOn: boolean
  /** Set if it continues earlier work, with its cost until then if the agent reports it. */
  readonly isContinued: boolean
  readonly costUsdBefore?: number
  /** A sentence for people, if earlier work could not be continued. */
  readonly beganAnew?: string
}

export interface HeldTalk {
  readonly request: WorkRequest
  readonly context: EffectContext
  readonly settings: TalkSettings
  readonly record: SessionRecord
  readonly talk: Talk
  /** The session to continue. */
  readonly wanted: string | undefined
}

/** Runs one turn with an agent over ACP: opens a session, sends the brief, and serves its requests until it is done. */
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
    // A warning can't be added to a turn: the turn is cancelled, and the session continues with the warning.
    let warning: string | undefined
    context.onWarning?.((text) => {
      warning = text
      cancel?.()
    })
    for (let text = request.brief, isWarned = false; ; isWarned = true) {
      const prompt = [{ type: 'text' as const, text }]
      const prompted = agent.request<PromptResponse, PromptRequest>(methods.agent.session.prompt, { sessionId: id, prompt })
      const response: PromptResponse | undefined = await Promise.race([prompted, afterStop(stop.signal)])
      if (asks.trouble) throw asks.trouble.error
      if (asks.waiting) return { kind: 'asked', ask: asks.waiting, session, ...(response ? { response } : {}) }
      const isCancelled = response?.stopReason === 'cancelled' && !talk.signal.aborted && !stop.signal.aborted
      if (warning === undefined || !isCancelled)
        return { kind: 'ended', response: response ?? { stopReason: 'cancelled' }, session, ...(isWarned ? { isWarned } : {}) }
      text = `${warning}\n\nContinue with your task: do something else.`
      warning = undefined
    }
  } catch (error) {
    if (asks.trouble) throw asks.trouble.error
    if (asks.waiting && session) return { kind: 'asked', ask: asks.waiting, session }
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { kind: 'refused', refusal, ...(session === undefined ? {} : { session }) }
  } finally {
    // Don't cancel a turn that is over.
    if (cancel) talk.signal.removeEventListener('abort', cancel)
    connection.close()
  }
}

/** How long an agent may take to end a cancelled turn. */
const CANCEL_MS_MAX = 2000

async function afterStop(signal: AbortSignal): Promise<undefined> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await sleep(CANCEL_MS_MAX, undefined, { ref: false })
}

/** What an agent may request from Pawl: files in the folder, no terminals. */
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

/** Reports a refusal of the folder to the agent, which may continue differently. */
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

/** The earlier session, if the agent can continue it; else why a new one begins. */
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

/** `resume` repeats no history, `load` all of it. Qwen Code 0.15 claims that it can resume, but doesn't know the request. */
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
  // Gemini CLI sends the rest of the history after its answer.
  await sleep(HISTORY_MS)
  return loaded
}

const HISTORY_MS = 50

/** Sets mode and model, if given. It is a configuration error if the agent doesn't have them. */
async function setUp(agent: ClientContext, sessionId: string, opened: Opened, { mode, model }: TalkSettings): Promise<void> {
  if (mode !== undefined && mode !== opened.modes?.currentModeId) {
    requireOffered('mode', mode, opened.modes?.availableModes.map(({ id }) => id) ?? [])
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
  }
  if (model !== undefined) await setModel(agent, sessionId, opened, model)
}

/** As a session option, as in the protocol, else in the older way; some agents have neither. */
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

/** The agent doesn't fit the settings. */
class Unfit extends Error {}

/** An error that the agent answered with; `unfit` if it is Pawl's own. */
export interface AcpRefusal {
  readonly code: number | 'unfit'
  readonly message: string
  /** All that it said, as JSON. */
  readonly source: string
}

/** The agent's error; `undefined` for a defect, or a closed connection. */
function refusalOf(error: unknown): AcpRefusal | undefined {
  if (error instanceof Unfit) return { code: 'unfit', message: error.message, source: '' }
  if (!(error instanceof RequestError)) return undefined
  const { code, message, data } = error
  const detail = detailIn(data)
  const said = detail === undefined || message.includes(detail) ? message : `${message}: ${detail}`
  return { code, message: said, source: JSON.stringify({ code, message, data }) ?? '' }
}

/** Agents put the useful part into `data`, in several ways. */
function detailIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  if (typeof data !== 'object' || data === null) return undefined
  const { details, message, error } = data as Readonly<Record<string, unknown>>
  const inner = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)['message'] : error
  return [details, message, inner].find((each) => typeof each === 'string')
}

/** The agent wants to be logged in first. */
export const AUTH_REQUIRED = -32000
