import type { JsonObject } from '../../core/json.ts'
import { type OptionKinds, TEXT } from '../../core/option-kinds.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { requireOptions } from '../../core/require-options.ts'
import type { Agent } from '../agent.ts'
import type { AiSdkAgentOptions } from './ai-sdk-agent.ts'
import { keepKeys, loadModel, type ModelPlace } from './load-model.ts'
import { type ModelWorkSettings, workWithModel } from './model-work.ts'
import { WORK_OPTIONS, workSettings } from './work-settings.ts'

export type ModelAgentOptions = Omit<AiSdkAgentOptions, 'model'> & ModelPlace

/**
 * The same agent from data alone: a model that a module file exports, or one behind an address that speaks OpenAI's Chat Completions.
 * Any program can resume its runs.
 *
 * @part ai-sdk
 */
export function modelAgent(options: ModelAgentOptions): Agent {
  requireOptions('modelAgent', options, OPTIONS)
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

const OPTIONS: OptionKinds<ModelAgentOptions> = { ...WORK_OPTIONS, module: true, baseUrl: true, model: true, key: TEXT }

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
