export { byteWords, counted, duration, money, thousands } from '../../src/core/wording.ts'
import { money, thousands } from '../../src/core/wording.ts'

/** What is known of spending; what isn't known isn't there. */
interface Spending {
  readonly costUsd?: number | undefined
  readonly isCostPartial?: boolean | undefined
  readonly tokens?: number | undefined
  readonly areTokensPartial?: boolean | undefined
}

/** "$0.42", "at least $0.42", "unknown": an unknown cost is never 0. */
export function costText({ costUsd, isCostPartial }: Spending): string {
  if (costUsd === undefined) return 'unknown'
  if (isCostPartial) return costUsd > 0 ? `at least ${money(costUsd)}` : 'unknown'
  return money(costUsd)
}

/** "12,300", "at least 12,300", "unknown". */
export function tokensText({ tokens, areTokensPartial }: Spending): string {
  if (tokens === undefined) return 'unknown'
  return areTokensPartial ? `at least ${thousands(tokens)}` : thousands(tokens)
}

const UNITS: readonly (readonly [ms: number, word: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
]

/** "now", "4 min ago", "3 d ago". */
export function ago(at: number, now: number): string {
  const ms = now - at
  for (const [unit, word] of UNITS) if (ms >= unit) return `${Math.floor(ms / unit)} ${word} ago`
  return 'now'
}

/** Date and time as the reader's browser writes them. */
export function dateAndTime(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}

/** "4.3s", "3m 20s", "2h 5m": short, for columns. */
export function shortTime(ms: number): string {
  if (ms < 60_000) return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)}s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60 ? `${minutes}m ${Math.round((ms % 60_000) / 1000)}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
