import type { Policy } from '../../src/evidence/backtest/policy.ts'
import type { State } from '../../src/core/state.ts'
import { actionsOf, hasActed, hasError, isSameAtEnd, isSameCall, isSameCallAndResult, isSameResult } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const UNEXERCISED = [
  'Monologue (3 messages of the agent with nothing between them): messages were not recorded.',
  'Repeated condensation of the context: not recorded.',
  'Observations of commands are compared by command and exit code; exit codes were not recorded, so the text is compared.',
  "Equality of actions takes in the agent's thought; thoughts were not recorded, so it fires more often here.",
]

/** OpenHands, the detector of the old controller (`stuck.py`) and the one of the SDK (`stuck_detector.py`). */
export const openhands: readonly Policy[] = [
  {
    name: 'OpenHands V0',
    about: '4 equal actions with equal observations, 3 equal actions with errors, or A, B, A, B, A, B.',
    guards: [
      tripWhen('OpenHands V0', (state) => hasActed(state) && (isRepeating(state) || isFailing(state, 3) || isPattern(state))),
    ],
    unexercised: [...UNEXERCISED, 'The variants of SyntaxError messages in a notebook: such cells were not recorded as such.'],
  },
  {
    name: 'OpenHands SDK',
    about: 'The same within the last 20 events, and a fourth equal action with an error: the third only brings a message.',
    guards: [
      tripWhen('OpenHands SDK', (state) => hasActed(state) && (isRepeating(state) || isFailing(state, 4) || isPattern(state))),
    ],
    unexercised: [
      ...UNEXERCISED,
      'The message that is sent once at the third equal error: what it would have done is not known.',
    ],
  },
]

function isRepeating(state: State): boolean {
  return isSameAtEnd(actionsOf(state), 4, isSameCallAndResult)
}

function isFailing(state: State, count: number): boolean {
  return isSameAtEnd(actionsOf(state), count, isSameCall) && state.recent.slice(-count).every(hasError)
}

function isPattern(state: State): boolean {
  const last = actionsOf(state).slice(-6)
  if (last.length < 6) return false
  return last.slice(2).every((action, index) => {
    const before = last[index]
    return before !== undefined && isSameCall(action, before) && isSameResult(action, before)
  })
}
