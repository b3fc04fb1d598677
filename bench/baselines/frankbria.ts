import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { emptyIterations, sameFailure } from '../../src/guards/index.ts'

/** frankbria/ralph-claude-code: three loops without a changed file, or five with the same error. */
export const frankbria: readonly Policy[] = [
  {
    name: 'frankbria',
    about: 'No file changed in 3 iterations, or the same error in 5; our own emptyIterations and sameFailure, deciding.',
    guards: [emptyIterations({ iterationsMin: 3, severity: 'trip' }), sameFailure({ repeatsMin: 5, severity: 'trip' })],
    unexercised: [
      'Two denied permissions: not recorded.',
      'The half-open state and the 30 minutes of cooling down: there is no time in these loops.',
      'Exit on two done signals, and 100 calls an hour: not recorded.',
      'Where no solution was recorded nobody knows whether a file changed.',
    ],
  },
]
