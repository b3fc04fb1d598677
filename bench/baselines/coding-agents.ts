import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { actionsOf, hasActed, isSameAtEnd, isSameCall } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

/** Agents that count identical calls in a row: opencode (3), Roo Code (the fourth is blocked) and Cline (5). */
export const codingAgents: readonly Policy[] = [
  identicalCalls('opencode', 3, [
    'Only calls within one message of the assistant are compared; messages were not recorded, so it fires more often here.',
    'A person is asked, and may allow it: here it ends the loop.',
  ]),
  identicalCalls('Roo Code', 4, [
    'The limit of 3 mistakes in a row: malformed calls and failed edits were not recorded.',
    'A person is asked, and the count starts over: here it ends the loop.',
  ]),
  identicalCalls('Cline', 5, [
    'The warning at the third identical call: what it would have done is not known.',
    'The tracker of mistakes: API errors and invalid calls were not recorded.',
  ]),
]

function identicalCalls(name: string, count: number, unexercised: readonly string[]): Policy {
  return {
    name,
    about: `${count} identical calls in a row, results ignored.`,
    guards: [tripWhen(name, (state) => hasActed(state) && isSameAtEnd(actionsOf(state), count, isSameCall))],
    unexercised,
  }
}
