import { type Action, isSameAction } from '../../src/core/action.ts'
import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { actionsOf, hasActed } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const HISTORY = 30
const CRITICAL = 20

/** openclaw, `tool-loop-detection.ts`: the same call with the same result twenty times, others in between allowed. */
export const openclaw: readonly Policy[] = [
  {
    name: 'openclaw',
    about: 'Within 30 calls: the same call with the same result 20 times (the critical level), or A, B, A, B for 20 calls.',
    guards: [
      tripWhen('openclaw', (state) => {
        const calls = actionsOf(state).slice(-HISTORY)
        const last = calls.at(-1)
        if (!last || !hasActed(state)) return false
        return calls.filter((call) => isSameAction(call, last)).length >= CRITICAL || isPingPong(calls)
      }),
    ],
    unexercised: [
      'Warnings at 10: what they would have done is not known.',
      'The rules for polling and unknown tools: names of tools were not recorded.',
      'Hardly any of these loops has 20 iterations, so it can seldom fire; it is off by default in openclaw itself.',
    ],
  },
]

function isPingPong(calls: readonly Action[]): boolean {
  const last = calls.slice(-CRITICAL)
  return last.length === CRITICAL && last.slice(2).every((call, index) => isSameAction(call, last[index] as Action))
}
