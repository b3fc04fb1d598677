import { type Action, isSameAction } from '../../src/core/action.ts'
import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { actionsOf, hasActed, isSameAtEnd } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const REPEATS = 3
const STAGNATION = 6

/** stella, `loop_detect.rs`: calls with their outputs, byte by byte. */
export const stella: readonly Policy[] = [
  {
    name: 'stella',
    about:
      'The same call and output 3 times in a row, a round of 2 to 4 three times over, 3 times in the window while nothing moves, or 6 equal outputs of different calls.',
    guards: [
      tripWhen('stella', (state) => {
        const calls = actionsOf(state)
        if (!hasActed(state)) return false
        return (
          isSameAtEnd(calls, REPEATS, isSameAction) ||
          [2, 3, 4].some((period) => isCycle(calls, period)) ||
          isInterleaved(calls) ||
          isStagnant(calls)
        )
      }),
    ],
    unexercised: [
      'The steering message that comes before the abort: here the first detection ends the loop.',
      'The rung for sleeping and polling: names of tools were not recorded.',
      'Its window is not known here; the last 60 calls are looked at, which is more than any of these loops has.',
    ],
  },
]

function isCycle(calls: readonly Action[], period: number): boolean {
  const last = calls.slice(-REPEATS * period)
  if (last.length < REPEATS * period) return false
  return last.slice(period).every((call, index) => isSameAction(call, last[index] as Action))
}

function isInterleaved(calls: readonly Action[]): boolean {
  const last = calls.at(-1)
  if (!last || calls.filter((call) => isSameAction(call, last)).length < REPEATS) return false
  return !isProgressing(calls)
}

/** Some call gave another output than the same call before. */
function isProgressing(calls: readonly Action[]): boolean {
  const outputs = new Map<string, string>()
  return calls.some(({ name, input, result }) => {
    const call = `${name}\n${input}`
    const before = outputs.get(call)
    if (result !== undefined) outputs.set(call, result)
    return before !== undefined && result !== undefined && before !== result
  })
}

function isStagnant(calls: readonly Action[]): boolean {
  const last = calls.slice(-STAGNATION)
  const isEqual = isSameAtEnd(calls, STAGNATION, (one, other) => one.name === other.name && one.result === other.result)
  return isEqual && last[0]?.result !== undefined && new Set(last.map(({ input }) => input)).size > 1
}
