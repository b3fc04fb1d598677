import type { Usage } from '../core/event-data.ts'

/** What the agent says it used, where that is an amount. */
export function usageOf({ costUsd, tokens, isUsagePartial }: Usage): Usage {
  return {
    ...(isAmount(costUsd) ? { costUsd } : {}),
    ...(isAmount(tokens) ? { tokens } : {}),
    ...(isUsagePartial ? { isUsagePartial } : {}),
  }
}

/** What is no amount would poison every sum after it, or pay the budget back. */
function isAmount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0
}
