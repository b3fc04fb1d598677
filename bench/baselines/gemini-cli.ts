import type { Action } from '../../src/core/action.ts'
import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { actionsOf, hasActed } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const REPEATS = 5
const PERIOD_MAX = 5

/** gemini-cli, `loopDetectionService.ts`: five repeats of one to five calls, results ignored. */
export const geminiCli: readonly Policy[] = [
  {
    name: 'gemini-cli',
    about: 'The last 5k calls are 5 repeats of the last k, for k from 1 to 5.',
    guards: [
      tripWhen('gemini-cli', (state) => {
        const calls = actionsOf(state)
        return hasActed(state) && [1, 2, 3, 4, 5].some((period) => period <= PERIOD_MAX && isRepeated(calls, period))
      }),
    ],
    unexercised: [
      'Repeated chunks of streamed text: what the agent streamed was not recorded.',
      'A model that is asked after 30 turns: no model is asked, and no recorded loop is that long.',
      'The message that is tried at the first detection: here the first detection ends the loop.',
    ],
  },
]

function isRepeated(calls: readonly Action[], period: number): boolean {
  const last = calls.slice(-REPEATS * period)
  if (last.length < REPEATS * period) return false
  return last.every(({ name, input }, index) => {
    const first = last[index % period]
    return first?.name === name && first.input === input
  })
}
