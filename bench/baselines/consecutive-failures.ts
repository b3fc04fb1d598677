import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { hasFailed } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

/** The commonest rule of all: so many failures in a row, whatever they are. */
export const consecutiveFailures: readonly Policy[] = [2, 3, 4, 5, 6].map((count) => ({
  name: `${count} consecutive failures`,
  about: `${count} iterations in a row that did not pass; aider (max_reflections) and most retry loops have 3.`,
  guards: [
    tripWhen(`${count} consecutive failures`, ({ recent }) => recent.length >= count && recent.slice(-count).every(hasFailed)),
  ],
}))
