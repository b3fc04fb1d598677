import type { LanguageModel, ToolSet } from 'ai'
import type { Fault } from '../../core/event-data.ts'
import type { Instant } from '../../core/event.ts'
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { shortened } from '../../core/wording.ts'
import { CUSTOM } from '../../guards/custom.ts'
import type { CommandTrouble } from '../../process/command-trouble.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { readOptions } from '../../schema/read-options.ts'
import { redactedEnd, redactedLine } from '../../secrets/filter.ts'
import {
  AI_SDK_AGENT,
  type AiSdkAgentOptions,
  MODEL_AGENT,
  type ModelAgentOptions,
  type ModelPlace,
  type Prices,
  type ToolSetName,
} from '../agent-settings.ts'
import { CONNECTION_FAILED, troubleOfError } from '../agent-trouble.ts'
import type { Agent, WorkRequest, WorkResult } from '../agent.ts'
import { endedAtLimit, timeLimit, type TimeLimit } from '../program-start.ts'
import { folderTools } from './folder-tools.ts'
import { keepKeys, loadModel, loadSdk } from './load-model.ts'
import { ModelRecord } from './model-record.ts'

/**
 * A model of the AI SDK as an agent: it reads, searches and edits the files of the folder with tools of ours, and nothing else. As a
 * reviewer or questioner it changes nothing. It works within this process, so only the program that has the model can resume its runs.
 */
export function aiSdkAgent(options: AiSdkAgentOptions): Agent {
  const { model: _model, ...given } = readOptions('aiSdkAgent', AI_SDK_AGENT, options)
  const { model } = options
  const modelId = typeof model === 'string' ? model : model.modelId
  const work = { ...given, name: given.name ?? modelId } as ModelWork
  keepKeys()
  return {
    spec: { name: CUSTOM, v: 1, settings: { ...work, driver: 'ai-sdk', model: modelId } as unknown as JsonObject },
    model: modelId,
    isInProcess: true,
    tellsUsage: true,
    work: (request, context) => workWithModel(async () => ({ model }), work, request, context),
  }
}

/**
 * The same agent from data alone: a model that a module file exports, or one behind an address that speaks OpenAI's Chat Completions.
 * Any program can resume its runs.
 *
 * @part ai-sdk
 */
export function modelAgent(options: ModelAgentOptions): Agent {
  const {
    module: _module,
    baseUrl: _baseUrl,
    model: _model,
    key: _key,
    ...given
  } = readOptions('modelAgent', MODEL_AGENT, options)
  const place = placeOf(options)
  const work = { ...given, name: given.name ?? ('module' in place ? place.module : place.model) } as ModelWork
  keepKeys('key' in place ? place.key : undefined)
  return {
    spec: { name: 'ai-sdk', v: 1, settings: { ...work, ...place } as unknown as JsonObject },
    ...('module' in place ? {} : { model: place.model }),
    isInProcess: true,
    tellsUsage: true,
    work: (request, context) => workWithModel((cwd) => loadModel(place, cwd), work, request, context),
  }
}

function placeOf(options: ModelAgentOptions): ModelPlace {
  if ('module' in options && options.module !== undefined) return { module: options.module }
  const { baseUrl, model, key } = options as Partial<Exclude<ModelPlace, { module: string }>>
  if (baseUrl === undefined || model === undefined)
    throw new PawlError(
      'agent.ai-sdk.model',
      'A model needs `module`, a file that exports it, or `baseUrl` (http://…/v1) and `model`.',
      { value: options },
    )
  return { baseUrl, model, ...(key === undefined ? {} : { key }) }
}

interface ModelWork extends Required<Pick<AiSdkAgentOptions, 'name' | 'stepsMax' | 'retriesMax' | 'timeoutMs'>> {
  readonly instructions?: string
  readonly tools?: ToolSetName
  readonly prices?: Prices
}

/** Finds the model, or the reason why it isn't available. */
type FindModel = (cwd: string) => Promise<{ readonly model: LanguageModel } | CommandTrouble>

/** Lets a model work on the brief with Pawl's tools, within limits of steps and time. */
async function workWithModel(
  findModel: FindModel,
  settings: ModelWork,
  request: WorkRequest,
  context: EffectContext,
): Promise<WorkResult> {
  await context.started()
  const limit = timeLimit(settings.timeoutMs, request.deadlineMs)
  if (limit.ms <= 0) return { status: 'timed-out', fault: 'agent', message: `No time was left for ${settings.name} to begin.` }
  const sdk = await loadSdk(request.cwd)
  if ('fault' in sdk) return { status: 'failed', ...sdk }
  const found = await findModel(request.cwd)
  if ('fault' in found) return { status: 'failed', ...found }
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(TIME_IS_UP), Math.min(limit.ms, TIMER_MS_MAX))
  const interrupt = (): void => stop.abort()
  context.signal.addEventListener('abort', interrupt)
  if (context.signal.aborted) interrupt()
  const record = new ModelRecord(context, settings.prices)
  try {
    const { generateText, stepCountIs, jsonSchema } = sdk
    const wanted = settings.tools ?? (READERS.has(request.role) ? 'read' : 'write')
    const tools = folderTools(request.cwd, wanted, stop.signal, record)
    const working = generateText({
      model: found.model,
      instructions: instructionsFor(settings, wanted),
      prompt: request.brief,
      tools: Object.fromEntries(
        tools.map(({ name, description, schema, execute }) => [name, { description, inputSchema: jsonSchema(schema), execute }]),
      ) as ToolSet,
      stopWhen: stepCountIs(settings.stepsMax),
      toolCallConcurrency: 1,
      maxRetries: settings.retriesMax,
      abortSignal: stop.signal,
      onStepEnd: (step) => record.step(step),
    })
    // Don't wait for a model that ignores the signal; its tools no longer do anything.
    const done = await Promise.race([working, aborted(stop.signal)])
    return done === 'aborted' ? cutShort(stop, limit, settings, record) : await finished(done, settings, record)
  } catch (error) {
    if (stop.signal.aborted) return cutShort(stop, limit, settings, record)
    return { status: 'failed', ...(await modelTrouble(error, settings.name, Date.now())), ...record.details() }
  } finally {
    clearTimeout(timer)
    context.signal.removeEventListener('abort', interrupt)
    stop.abort()
  }
}

const WORDS_LENGTH_MAX = 20_000

const TIME_IS_UP = new Error('The time is up.')

/** Longer timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Roles that only read and answer. */
const READERS: ReadonlySet<string> = new Set(['reviewer', 'questioner', 'planner', 'judge'])

function instructionsFor({ instructions }: ModelWork, tools: ToolSetName): string {
  const ways = {
    write:
      'You work on the files of one folder, with the tools you are given; paths are relative to it. Read before you edit. Do what the task asks and nothing else. When you are done, say in a few sentences what you changed.',
    read: 'You may look at the files of one folder, with the tools you are given; paths are relative to it. Change nothing. Answer exactly in the form that is asked for.',
    none: 'Answer exactly in the form that is asked for.',
  }
  return [ways[tools], ...(instructions === undefined ? [] : [instructions])].join('\n')
}

async function aborted(signal: AbortSignal): Promise<'aborted'> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
  return 'aborted'
}

function cutShort({ signal }: AbortController, limit: TimeLimit, { name }: ModelWork, record: ModelRecord): WorkResult {
  // The usage of the interrupted answer is unknown.
  const details = { ...record.details(), isUsagePartial: true as const }
  if (signal.reason !== TIME_IS_UP) return { status: 'aborted', ...details }
  return { status: 'timed-out', fault: 'agent', message: endedAtLimit(name, limit), ...details }
}

interface Generated {
  readonly text: string
  readonly finishReason: string
}

async function finished(
  { text, finishReason }: Generated,
  { name, stepsMax }: ModelWork,
  record: ModelRecord,
): Promise<WorkResult> {
  const known = record.details()
  const isUntold = known.tokens === undefined && known.costUsd === undefined
  const details = isUntold ? { ...known, isUsagePartial: true as const } : known
  const why: Readonly<Record<string, string>> = {
    'tool-calls': `stopped at its limit of ${stepsMax} steps`,
    length: 'stopped because its answer was too long',
    'content-filter': 'was stopped by a filter of its provider',
    error: 'ended with an error',
  }
  const trouble = why[finishReason]
  if (trouble !== undefined) return { status: 'failed', fault: 'agent', message: `${name} ${trouble}.`, ...details }
  const words = await redactedEnd(text.trim(), WORDS_LENGTH_MAX)
  return { status: 'finished', ...details, ...(words === '' ? {} : { summary: shortened(words, 500), words }) }
}

export interface ModelTrouble {
  readonly fault: Fault
  readonly message: string
  readonly fix?: string
  readonly retryAt?: Instant
  readonly isOutage?: true
}

/** Whose fault a failed model call is, judged by the error's fields: its classes differ between versions. */
export async function modelTrouble(thrown: unknown, name: string, now: Instant): Promise<ModelTrouble> {
  const error = innermost(thrown)
  const { statusCode, responseBody, responseHeaders, data } = error
  const source = typeof responseBody === 'string' ? responseBody : ''
  const status = typeof statusCode === 'number' ? { status: statusCode } : {}
  const isLost = statusCode === undefined && isUnreachable(error)
  const code = isLost ? CONNECTION_FAILED : codeIn(data)
  const said = { message: await redactedLine(error.message, 500), source, ...status, ...(code === undefined ? {} : { code }) }
  const trouble = await troubleOfError({ ...said, message: error.message }, { name, wayIn: WAY_IN }, now)
  const retryAt = retryAfter(responseHeaders, now)
  if (trouble) return trouble.fault === 'provider-limit' && retryAt !== undefined ? { ...trouble, retryAt } : trouble
  if (error.name === 'AI_LoadAPIKeyError' || error.name === 'AI_LoadSettingError')
    return { fault: 'config', message: said.message, fix: 'Set the variable that it names, then resume.' }
  if (error.name === 'AI_NoSuchModelError' || statusCode === 404) {
    const message = `The provider does not have what ${name} asks for: ${said.message}`
    return { fault: 'config', message, fix: 'Correct the name of the model or the address of the provider.' }
  }
  return { fault: 'agent', message: `${name} failed: ${said.message}` }
}

const WAY_IN = 'Give the model a valid key (of a model behind an address: in the variable that `key` names)'

interface ModelError {
  readonly name: string
  readonly message: string
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: unknown
  readonly data?: unknown
  readonly cause?: unknown
  readonly code?: unknown
}

/** After several tries the SDK wraps the last error. */
function innermost(thrown: unknown): ModelError {
  const { lastError } = (thrown ?? {}) as { readonly lastError?: unknown }
  if (lastError !== undefined) return innermost(lastError)
  return thrown instanceof Error ? (thrown as ModelError) : { name: '', message: String(thrown) }
}

function codeIn(data: unknown): string | undefined {
  const { error } = (data ?? {}) as { readonly error?: { readonly code?: unknown; readonly type?: unknown } }
  return [error?.code, error?.type].find((each) => typeof each === 'string')
}

function isUnreachable({ cause, code, message }: ModelError): boolean {
  const { code: inner } = (cause ?? {}) as { readonly code?: unknown }
  return UNREACHABLE.test(String(code ?? inner ?? '')) || /^Cannot connect to API|^fetch failed/.test(message)
}

const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|UND_ERR_\w+)$/

/** In seconds, or a date. */
function retryAfter(headers: unknown, now: Instant): Instant | undefined {
  const value = (headers as Readonly<Record<string, unknown>> | undefined)?.['retry-after']
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const seconds = Number(value)
  const at = Number.isFinite(seconds) ? now + seconds * 1000 : Date.parse(value)
  return Number.isFinite(at) && at > now ? at : undefined
}
