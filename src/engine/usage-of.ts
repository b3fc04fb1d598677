import type { Usage } from '../core/event-data.ts'
import { soundUsage } from '../core/sound-usage.ts'

/** What the agent says it used, where that is an amount. */
export function usageOf(told: Usage): Usage {
  const { costUsd, tokens, isUsagePartial } = soundUsage(told)
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(isUsagePartial ? { isUsagePartial } : {}),
  }
}
