import type { GuardSpec } from '../core/run-config.ts'
import { duration, money, thousands } from '../core/wording.ts'

/** "at most $3.00, 5,000 tokens, 3 min": the limits of a budget that are set; nothing where none is. */
export function budgetWords(guards: readonly GuardSpec[]): readonly string[] {
  const settings = guards.find(({ name }) => name === 'budget')?.settings ?? {}
  const limits = Object.entries(LIMITS).flatMap(([setting, say]) => {
    const max = settings[setting]
    return typeof max === 'number' && max > 0 ? [say(max)] : []
  })
  return limits.length === 0 ? [] : [`at most ${limits.join(', ')}`]
}

const LIMITS: Readonly<Record<string, (max: number) => string>> = {
  costUsdMax: money,
  tokensMax: (max) => `${thousands(max)} tokens`,
  // A limit is mostly a round one.
  durationMsMax: (max) => duration(max).replace(/ 0 (?:s|min)$/, ''),
}
