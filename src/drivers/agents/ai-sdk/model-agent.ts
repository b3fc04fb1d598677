import type { JsonObject } from '../../../core/json.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { requireIntegerAtLeast, requirePositiveInteger } from '../../../core/require.ts'
import type { Agent } from '../../../ports/agent.ts'
import type { AiSdkAgentOptions } from './ai-sdk-agent.ts'
import { loadModel, type ModelPlace } from './load-model.ts'
import { type ModelWorkSettings, workWithModel } from './model-work.ts'

export type ModelAgentOptions = Omit<AiSdkAgentOptions, 'model'> & ModelPlace

/**
 * The same agent from data alone: a model that a module file exports, or one behind an address that speaks OpenAI's Chat Completions.
 * Any program can resume its runs.
 */
export function modelAgent(options: ModelAgentOptions): Agent {
  const { stepsMax = 60, retriesMax = 2, timeoutMs = 30 * 60_000, instructions, tools, prices } = options
  requirePositiveInteger('modelAgent', 'stepsMax', stepsMax)
  requirePositiveInteger('modelAgent', 'timeoutMs', timeoutMs)
  requireIntegerAtLeast('modelAgent', 'retriesMax', retriesMax, 0)
  const place = placeOf(options)
  const { name = 'module' in place ? place.module : place.model } = options
  const given = {
    name,
    stepsMax,
    retriesMax,
    timeoutMs,
    ...(instructions === undefined ? {} : { instructions }),
    ...(tools === undefined ? {} : { tools }),
    ...(prices === undefined ? {} : { prices: { ...prices } }),
  }
  const settings: ModelWorkSettings = { ...given, model: (cwd) => loadModel(place, cwd) }
  return {
    spec: { name: 'ai-sdk', v: 1, settings: { ...given, ...place } satisfies JsonObject },
    ...('module' in place ? {} : { model: place.model }),
    isInProcess: true,
    work: (request, context) => workWithModel(settings, request, context),
  }
}

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
