import { describe, expect, it } from 'vitest'
import { checkQualityRegression } from '../safety-checks.ts'

const history = (...results: readonly (boolean | number | undefined)[]) =>
  results.map((result, index) => ({
    iteration: index + 1,
    validationResult: typeof result === 'number' ? { score: result } : result === undefined ? {} : { passed: result },
  }))

describe('checkQualityRegression', () => {
  it.each([
    ["the seed's example", [true, false, false, false], true],
    ['too little to go by', [true, false, false], false],
    ['nothing at all', [], false],
    ['it never passed, so it did not get worse', [false, false, false, false], false],
    ['one better score ends it', [true, false, false, true], false],
    ['better once inside the window', [0.9, 0.3, 0.4, 0.2], false],
    ['it went up into the window', [0.9, 0.1, 0.5, 0.5, 0.5], false],
    ['lower and lower', [0.9, 0.8, 0.7, 0.6], true],
    ['as good as the best', [0.9, 0.9, 0.9, 0.9], false],
    ['what was not scored is passed over', [true, false, undefined, false, false], true],
  ])('GUARD-32 %s', (_name, results, regression) => {
    expect(checkQualityRegression(history(...results)).regression).toBe(regression)
  })

  it('GUARD-32 says so word for word, and counts the steps inside the window', () => {
    expect(checkQualityRegression(history(true, false, false, false))).toEqual({
      regression: true,
      consecutiveDeclines: 2,
      message: 'Quality regression detected: Validation scores declined 2 consecutive times. Consider changing approach.',
    })
    expect(checkQualityRegression([])).toEqual({ regression: false, consecutiveDeclines: 0 })
  })
})
