import { requireIntegerAtLeast, requirePositiveInteger } from '../../../core/require.ts'
import type { AiSdkAgentOptions } from './ai-sdk-agent.ts'
import type { ModelWorkSettings } from './model-work.ts'

/** How a model is to work, checked and with the defaults in place; `name` is what it is called where nothing is said. */
export function workSettings(factory: string, options: Omit<AiSdkAgentOptions, 'model'>, name: string) {
  const { stepsMax = 60, retriesMax = 2, timeoutMs = 30 * 60_000, instructions, tools, prices } = options
  requirePositiveInteger(factory, 'stepsMax', stepsMax)
  requirePositiveInteger(factory, 'timeoutMs', timeoutMs)
  requireIntegerAtLeast(factory, 'retriesMax', retriesMax, 0)
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
