/**
 * The name of a guard as runs have it, also where it was given as it stands in `pawl.yaml` (`circuit_breaker`). Names that are not
 * Pawl's own stay as they are: a program may call its guards anything.
 */
export function guardName(given: string): string {
  const camel = given.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return OWN.has(camel) ? camel : given
}

/** Written out: what makes the guards takes longer to load than most commands take. */
const OWN = new Set([
  'maxIterations',
  'budget',
  'deadline',
  'circuitBreaker',
  'sameFailure',
  'noProgress',
  'thrashing',
  'stalledDiff',
  'oscillation',
  'repeatedAction',
  'spinningText',
  'emptyIterations',
  'qualityRegression',
  'tampering',
  'worthContinuing',
])
