import type { LanguageModel } from 'ai'
import { CUSTOM } from '../../guards/custom.ts'
import type { JsonObject } from '../../core/json.ts'
import { needed, type OptionKind, type OptionKinds } from '../../core/option-kinds.ts'
import { requireOptions } from '../../core/require-options.ts'
import type { Agent } from '../agent.ts'
import { keepKeys } from './load-model.ts'
import { modelName, type ModelWorkSettings, type Prices, type ToolSetName, workWithModel } from './model-work.ts'
import { WORK_OPTIONS, workSettings } from './work-settings.ts'

export interface AiSdkAgentOptions {
  /** Any model of the AI SDK: `openai('gpt-5')`, `anthropic('…')`, or the id of one for its gateway. */
  readonly model: LanguageModel
  /** What people call the agent. Default: the model's own name. */
  readonly name?: string
  /** What it is told besides the brief. Default: nothing more. */
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
  requireOptions('aiSdkAgent', options, OPTIONS)
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

const MODEL: OptionKind = {
  wanted: 'a model of the AI SDK, such as openai("gpt-5"), or the id of one',
  accepts: (value) =>
    typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null && 'modelId' in value,
}

const OPTIONS: OptionKinds<AiSdkAgentOptions> = { ...WORK_OPTIONS, model: needed(MODEL) }
