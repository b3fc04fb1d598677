import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { actionsOf, hasActed, isSameCall } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

const WINDOW = 20
const SAME_MAX = 5
const TOOL_WINDOW = 50

/** deer-flow, `loop_detection_middleware.py`: the same call five times among the last twenty, wherever they are. */
export const deerFlow: readonly Policy[] = [
  {
    name: 'deer-flow',
    about: 'The same call 5 times within 20, or 50 calls of one tool within 50.',
    guards: [
      tripWhen('deer-flow', (state) => {
        const calls = actionsOf(state)
        const last = calls.at(-1)
        if (!last || !hasActed(state)) return false
        const same = calls.slice(-WINDOW).filter((call) => isSameCall(call, last)).length
        const ofTool = calls.slice(-TOOL_WINDOW).filter(({ name }) => name === last.name).length
        return same >= SAME_MAX || ofTool >= TOOL_WINDOW
      }),
    ],
    unexercised: [
      'The stable key of a call (path and lines read, salient fields): only digests of whole inputs were recorded.',
      'Warnings at 3 same calls and 30 calls of a tool: what they would have done is not known.',
      'Blocking of single tools (tool_progress_middleware): names of tools and whether an error can be recovered from were not recorded.',
    ],
  },
]
