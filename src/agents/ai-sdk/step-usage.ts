/** What a million tokens cost. */
export interface Prices {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  /** For input that the provider had in its cache. Default: as other input. */
  readonly cachedInputUsdPerMillion?: number
}

/** What the steps used so far, as far as the provider says so. */
export interface StepUsage {
  readonly tokens?: number
  readonly inputTokens?: number
  readonly cachedTokens?: number
  readonly outputTokens?: number
  readonly reportedUsd?: number
}

/** The sum with one more step. */
export function addedUsage(before: StepUsage, step: { readonly usage: object; readonly providerMetadata?: unknown }): StepUsage {
  const usage = step.usage as Readonly<Record<string, unknown>>
  const input = amount(usage['inputTokens'])
  const output = amount(usage['outputTokens'])
  const both = input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
  const cached = amount((usage['inputTokenDetails'] as Readonly<Record<string, unknown>> | undefined)?.['cacheReadTokens'])
  return {
    ...sum('tokens', before.tokens, amount(usage['totalTokens']) ?? both),
    ...sum('inputTokens', before.inputTokens, input),
    ...sum('cachedTokens', before.cachedTokens, cached),
    ...sum('outputTokens', before.outputTokens, output),
    ...sum('reportedUsd', before.reportedUsd, reportedCost(usage['raw'], step.providerMetadata)),
  }
}

/** What it cost: by the prices that were given, else what the provider reported; unknown without either. */
export function costOf(
  { inputTokens = 0, cachedTokens = 0, outputTokens = 0, reportedUsd, tokens }: StepUsage,
  prices: Prices | undefined,
): number | undefined {
  if (!prices) return reportedUsd
  if (tokens === undefined) return undefined
  const { inputUsdPerMillion, outputUsdPerMillion, cachedInputUsdPerMillion = inputUsdPerMillion } = prices
  const cached = Math.min(cachedTokens, inputTokens)
  const usd = (inputTokens - cached) * inputUsdPerMillion + cached * cachedInputUsdPerMillion + outputTokens * outputUsdPerMillion
  return usd / 1_000_000
}

/** OpenRouter puts the cost beside the tokens, Vercel's gateway into its metadata. */
function reportedCost(raw: unknown, metadata: unknown): number | undefined {
  const beside = (raw as { readonly cost?: unknown } | undefined)?.cost
  const gateway = (metadata as { readonly gateway?: { readonly cost?: unknown } } | undefined)?.gateway?.cost
  return amount(beside) ?? amount(typeof gateway === 'string' ? Number(gateway) : gateway)
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function sum<Name extends string>(name: Name, before: number | undefined, more: number | undefined): { [Key in Name]?: number } {
  if (before === undefined && more === undefined) return {}
  return { [name]: (before ?? 0) + (more ?? 0) } as { [Key in Name]?: number }
}
