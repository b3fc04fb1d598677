// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.

/** The names of all guards with settings. */
export const NAMES_OF_GUARDS: readonly string[] = [
  'budget',
  'circuitBreaker',
  'deadline',
  'emptyIterations',
  'idle',
  'iterationBudget',
  'maxIterations',
  'noProgress',
  'oscillation',
  'qualityRegression',
  'repeatedAction',
  'sameFailure',
  'spinningText',
  'stalledDiff',
  'tampering',
  'thrashing',
  'worthContinuing',
]
