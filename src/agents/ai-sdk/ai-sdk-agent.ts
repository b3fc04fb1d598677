import type { LanguageModel } from 'ai'
import {
  ANYTHING,
  type EntriesOf,
  fitting,
  needed,
  oneOf,
  optional,
  settingsSchema,
  TEXT,
  wholeNumber,
  WORDS,
} from '../../schema/kinds.ts'
import { readOptions, requireKind } from '../../schema/read-options.ts'
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { isRecorded } from '../../core/recorded-settings.ts'
import { CUSTOM } from '../../guards/custom.ts'
import type { Agent } from '../agent.ts'
import type { ToolSetName } from './folder-tools.ts'
import { keepKeys, loadModel, type ModelPlace } from './load-model.ts'
import type { Prices } from './model-record.ts'
import { modelName, type ModelWorkSettings, workWithModel } from './model-work.ts'

/** The settings that say how a model works. */
export const WORK_OPTIONS = {
  name: optional(TEXT),
  instructions: optional(WORDS),
  stepsMax: ANYTHING,
  retriesMax: ANYTHING,
  timeoutMs: ANYTHING,
  tools: optional(oneOf(['write', 'read', 'none'])),
  prices: ANYTHING,
} satisfies EntriesOf<Omit<AiSdkAgentOptions, 'model'>>

const PRICE = fitting<number>('US dollars for a million tokens', (value) => Number.isFinite(value) && Number(value) >= 0)

const PRICES = settingsSchema({
  inputUsdPerMillion: needed(PRICE),
  outputUsdPerMillion: needed(PRICE),
  cachedInputUsdPerMillion: optional(PRICE),
} satisfies EntriesOf<Prices>)

/** How a model is to work, checked and with the defaults in place; `name` is what it is called where nothing is said. */
export function workSettings(factory: string, options: Omit<AiSdkAgentOptions, 'model'>, name: string) {
  if (options.prices !== undefined && !isRecorded(options)) readOptions(`${factory}: prices`, PRICES, options.prices)
  const { stepsMax = 60, retriesMax = 2, timeoutMs = 30 * 60_000, instructions, tools, prices } = options
  requireKind(factory, 'stepsMax', stepsMax, wholeNumber(1))
  requireKind(factory, 'timeoutMs', timeoutMs, wholeNumber(1))
  requireKind(factory, 'retriesMax', retriesMax, wholeNumber(0))
  return {
    name: options.name ?? name,
    stepsMax,
    retriesMax,
    timeoutMs,
    ...(instructions === undefined ? {} : { instructions }),
    ...(tools === undefined ? {} : { tools }),
    ...(prices === undefined ? {} : { prices: { ...prices } }),
  } satisfies Omit<ModelWorkSettings, 'model'>
}

export interface AiSdkAgentOptions {
  /** Any model of the AI SDK: `openai('gpt-5')`, `anthropic('…')`, or the id of one for its gateway. */
  readonly model: LanguageModel
  /** What people call the agent. Default: the model's own name. */
  readonly name?: string
  /** Instructions that it gets in addition to the brief. Default: none. */
  readonly instructions?: string
  /** How often the model may be asked in one piece of work. Default 60. */
  readonly stepsMax?: number
  /** How often one answer is asked for again when the provider fails, with pauses of seconds. Default 2. */
  readonly retriesMax?: number
  /** How long one piece of work may take. Default 30 minutes. */
  readonly timeoutMs?: number
  /** The tools it gets: `write`, `read` or `none`. Default `write`, and `read` for reviewers and questioners. */
  readonly tools?: ToolSetName
  /** What tokens cost. Default: only what the provider itself reports counts as cost. */
  readonly prices?: Prices
}

/**
 * A model of the AI SDK as an agent: it reads, searches and edits the files of the folder with tools of ours, and nothing else. As a
 * reviewer or questioner it changes nothing. It works within this process, so only the program that has the model can resume its runs.
 */
export function aiSdkAgent(options: AiSdkAgentOptions): Agent {
  readOptions('aiSdkAgent', OPTIONS, options)
  const { model } = options
  const given = workSettings('aiSdkAgent', options, modelName(model))
  keepKeys()
  const settings: ModelWorkSettings = { ...given, model: async () => ({ model }) }
  return {
    spec: { name: CUSTOM, v: 1, settings: { ...given, driver: 'ai-sdk', model: modelName(model) } satisfies JsonObject },
    model: modelName(model),
    isInProcess: true,
    tellsUsage: true,
    work: (request, context) => workWithModel(settings, request, context),
  }
}

const MODEL = fitting<unknown>('a model of the AI SDK, such as openai("gpt-5"), or the id of one', (value) =>
  typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null && 'modelId' in value,
)

const OPTIONS = settingsSchema({ ...WORK_OPTIONS, model: needed(MODEL) } satisfies EntriesOf<AiSdkAgentOptions>)

export type ModelAgentOptions = Omit<AiSdkAgentOptions, 'model'> & ModelPlace

/**
 * The same agent from data alone: a model that a module file exports, or one behind an address that speaks OpenAI's Chat Completions.
 * Any program can resume its runs.
 *
 * @part ai-sdk
 */
export function modelAgent(options: ModelAgentOptions): Agent {
  readOptions('modelAgent', MODEL_AGENT_OPTIONS, options)
  const place = placeOf(options)
  const given = workSettings('modelAgent', options, 'module' in place ? place.module : place.model)
  keepKeys('key' in place ? place.key : undefined)
  const settings: ModelWorkSettings = { ...given, model: (cwd) => loadModel(place, cwd) }
  return {
    spec: { name: 'ai-sdk', v: 1, settings: { ...given, ...place } satisfies JsonObject },
    ...('module' in place ? {} : { model: place.model }),
    isInProcess: true,
    tellsUsage: true,
    work: (request, context) => workWithModel(settings, request, context),
  }
}

const MODEL_AGENT_OPTIONS = settingsSchema({
  ...WORK_OPTIONS,
  module: ANYTHING,
  baseUrl: ANYTHING,
  model: ANYTHING,
  key: optional(TEXT),
} satisfies EntriesOf<ModelAgentOptions>)

function placeOf(options: ModelAgentOptions): ModelPlace {
  if ('module' in options && typeof options.module === 'string' && options.module !== '') return { module: options.module }
  if (!('baseUrl' in options) || !URL.canParse(options.baseUrl) || options.model === '')
    throw new PawlError(
      'agent.ai-sdk.model',
      'A model needs `module`, a file that exports it, or `baseUrl` (http://…/v1) and `model`.',
      { value: options },
    )
  const { baseUrl, model, key } = options
  return { baseUrl, model, ...(key === undefined ? {} : { key }) }
}
