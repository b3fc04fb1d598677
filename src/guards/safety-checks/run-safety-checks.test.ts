import { describe, expect, it } from 'vitest'
import { type IterationConfig, runSafetyChecks } from '../safety-checks.ts'

const config: IterationConfig = { maxIterations: 10, completionPromises: ['All tests pass'], circuitBreakerThreshold: 3 }
const passing = { iteration: 1, validationResult: { passed: true }, filesModified: ['a'] }
const failing = { iteration: 1, validationResult: { passed: false }, filesModified: ['a'] }

describe('runSafetyChecks', () => {
  it.each([
    ['all is well', 4, config, [passing, failing], undefined],
    ['the last one allowed', 10, config, [], undefined],
    ['the maximum comes first', 11, config, [passing, failing, failing, failing], 'max_iterations'],
    ['the breaker comes before the regression', 5, config, [passing, failing, failing, failing], 'circuit_breaker'],
    ['three by default', 5, { maxIterations: 10, completionPromises: [] }, [failing, failing, failing], 'circuit_breaker'],
    [
      'the regression comes before the thrashing',
      6,
      { ...config, circuitBreakerThreshold: 9 },
      [passing, passing, failing, failing, failing],
      'quality_regression',
    ],
    ['thrashing comes last', 6, config, [passing, passing, passing, passing, passing], 'thrashing'],
  ] as const)('GUARD-34 %s', (_name, iteration, given, history, blockedBy) => {
    expect(runSafetyChecks(iteration, given, history).blockedBy).toBe(blockedBy)
  })

  it('GUARD-34 hands on the message of what blocks', () => {
    expect(runSafetyChecks(11, config, [])).toEqual({
      canContinue: false,
      blockedBy: 'max_iterations',
      message: 'Iteration 11 exceeds maximum of 10. Circuit breaker triggered.',
    })
    expect(runSafetyChecks(1, config, [])).toEqual({ canContinue: true })
  })
})
