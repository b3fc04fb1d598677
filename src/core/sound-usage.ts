import type { Usage } from './event-data.ts'

/** The most that one piece of work is taken to have cost, in dollars. Whoever tells more is wrong. */
export const COST_USD_MAX = 1_000_000

/** The most tokens that one piece of work is taken to have used. */
export const TOKENS_MAX = 1_000_000_000_000

/** Whether it can be what something cost: what cannot would poison every sum after it, or pay the budget back. */
export function isCost(value: unknown): value is number {
  return isWithin(value, COST_USD_MAX)
}

/** Whether it can be how many tokens were used. */
export function isTokenCount(value: unknown): value is number {
  return isWithin(value, TOKENS_MAX)
}

/** Whether every amount that it tells can be one. */
export function isSound({ costUsd = 0, tokens = 0 }: Usage): boolean {
  return isCost(costUsd) && isTokenCount(tokens)
}

/** What is told there, without amounts that cannot be any: then more was used than is known. */
export function soundUsage<Told extends Usage>(told: Told): Told {
  if (isSound(told)) return told
  const { costUsd, tokens, ...rest } = told
  return {
    ...rest,
    ...(isCost(costUsd) ? { costUsd } : {}),
    ...(isTokenCount(tokens) ? { tokens } : {}),
    isUsagePartial: true,
  } as unknown as Told
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= max
}
