import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { type IterationHistoryEntry, runSafetyChecks } from '../../src/guards/index.ts'
import type { State } from '../../src/core/state.ts'
import { tripWhen } from './trip-when.ts'

/** The four seed guards: maximum, circuit breaker at 3, quality regression and thrashing at 5, by the package's own safety functions. */
export const seedGuards: readonly Policy[] = [
  {
    name: 'seed guards',
    about: 'runSafetyChecks of pawl/guards with its defaults and the recorded maximum.',
    guards: [
      tripWhen('seed guards', (state) => {
        const config = { maxIterations: maximumOf(state), completionPromises: [] }
        return !runSafetyChecks(state.current.number + 1, config, historyOf(state)).canContinue
      }),
    ],
    unexercised: ['File names in the messages of a validation: the recorded errors have none of that form.'],
  },
]

function maximumOf({ config }: State): number {
  const max = config.guards.find(({ name }) => name === 'maxIterations')?.settings['iterationsMax']
  return typeof max === 'number' ? max : Number.MAX_SAFE_INTEGER
}

/** What was neither passed nor failed says nothing. */
function historyOf({ recent }: State): readonly IterationHistoryEntry[] {
  return recent.map(({ iteration, verdict: { passed, score, failing }, files }) => ({
    iteration,
    validationResult: passed || failing > 0 ? { passed, score } : {},
    filesModified: files,
  }))
}
