import { needed, oneOf, type OptionKind, type OptionKinds, TEXT, WORDS } from '../../core/option-kinds.ts'
import { isRecorded } from '../../core/recorded-settings.ts'
import { requireOptions } from '../../core/require-options.ts'
import { requireIntegerAtLeast, requirePositiveInteger } from '../../core/require.ts'
import type { AiSdkAgentOptions } from './ai-sdk-agent.ts'
import type { ModelWorkSettings } from './model-work.ts'
import type { Prices } from './step-usage.ts'

/** What may stand for how a model is to work. */
export const WORK_OPTIONS: OptionKinds<Omit<AiSdkAgentOptions, 'model'>> = {
  name: TEXT,
  instructions: WORDS,
  stepsMax: true,
  retriesMax: true,
  timeoutMs: true,
  tools: oneOf('write', 'read', 'none'),
  prices: true,
}

const PRICE: OptionKind = {
  wanted: 'US dollars for a million tokens',
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0,
}

const PRICES: OptionKinds<Prices> = {
  inputUsdPerMillion: needed(PRICE),
  outputUsdPerMillion: needed(PRICE),
  cachedInputUsdPerMillion: PRICE,
}

/** How a model is to work, checked and with the defaults in place; `name` is what it is called where nothing is said. */
export function workSettings(factory: string, options: Omit<AiSdkAgentOptions, 'model'>, name: string) {
  if (options.prices !== undefined && !isRecorded(options)) requireOptions(`${factory}: prices`, options.prices, PRICES)
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
