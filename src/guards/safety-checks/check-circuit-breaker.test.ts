import { describe, expect, it } from 'vitest'
import { checkCircuitBreaker } from '../safety-checks.ts'

const history = (...results: readonly (boolean | undefined)[]) =>
  results.map((passed, index) => ({
    iteration: index + 1,
    validationResult: passed === undefined ? {} : { passed },
  }))

describe('checkCircuitBreaker', () => {
  it.each([
    ['no history', [], 0, false],
    ['all passing', [true, true, true], 0, false],
    ['consecutive failures', [false, false, false], 3, true],
    ['more than enough', [true, false, false, false, false], 4, true],
    ['the streak is broken', [false, false, true, false], 1, false],
    ['what neither passed nor failed is passed over', [false, undefined, false, undefined, false], 3, true],
    ['nothing is known', [undefined, undefined, undefined], 0, false],
  ])('GUARD-31 %s', (_name, results, consecutiveFailures, open) => {
    expect(checkCircuitBreaker(history(...results), 3)).toMatchObject({ open, consecutiveFailures })
  })

  it('GUARD-244 null is neither a pass nor a failure', () => {
    const unknown = JSON.parse('{"iteration":1,"validationResult":{"passed":null}}')
    expect(checkCircuitBreaker([unknown, unknown, unknown])).toEqual({ open: false, consecutiveFailures: 0 })
  })

  it('GUARD-31 says so word for word, with 3 by default', () => {
    expect(checkCircuitBreaker(history(false, false, false))).toEqual({
      open: true,
      consecutiveFailures: 3,
      message: 'Circuit breaker OPEN: 3 consecutive validation failures (threshold: 3). Manual intervention required.',
    })
    expect(checkCircuitBreaker(history(false, false))).toEqual({ open: false, consecutiveFailures: 2 })
    expect(() => checkCircuitBreaker([], 0)).toThrow('checkCircuitBreaker: threshold must be')
  })
})
