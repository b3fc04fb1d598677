import { describe, expect, it } from 'vitest'
import { checkMaxIterations } from '../safety-checks.ts'

describe('checkMaxIterations', () => {
  it.each([
    [4, 5, true],
    [5, 5, true],
    [6, 5, false],
  ])('GUARD-30 iteration %i of at most %i: allowed %s', (iteration, max, allowed) => {
    expect(checkMaxIterations(iteration, max).allowed).toBe(allowed)
  })

  it('GUARD-30 says so word for word, and says nothing if all is well', () => {
    expect(checkMaxIterations(11, 10)).toEqual({
      allowed: false,
      message: 'Iteration 11 exceeds maximum of 10. Circuit breaker triggered.',
    })
    expect(checkMaxIterations(1, 10)).toEqual({ allowed: true })
  })

  it('GUARD-30 an invalid maximum is refused, and does not let everything pass', () => {
    expect(() => checkMaxIterations(1, Number.NaN)).toThrow('checkMaxIterations: maxIterations must be')
    expect(() => checkMaxIterations(undefined as never, 5)).toThrow('checkMaxIterations needs currentIteration: a whole number')
  })
})
