import { expect, test } from 'vitest'
import { didYouMean, nearestName } from './names.ts'

const KEYS = ['agent', 'agents', 'checks', 'max_iterations', 'budget_usd', 'budget_tokens', 'budget_time', 'agent_timeout']

test.each([
  ['max_iteration', 'max_iterations'],
  ['maxIterations', 'max_iterations'],
  ['max-iterations', 'max_iterations'],
  ['MAX_ITERATIONS', 'max_iterations'],
  ['max_itreations', 'max_iterations'],
  ['check', 'checks'],
  ['agnet', 'agent'],
  ['bugdet_usd', 'budget_usd'],
  ['budget', 'budget_usd'],
  ['zebra', undefined],
  ['x', undefined],
  ['', undefined],
])('CONFIG-10 the nearest right name to %s is %s', (word, expected) => {
  expect(nearestName(word, KEYS)).toBe(expected)
})

test('CONFIG-10 two swapped letters are one slip, and a short word is near only to its like', () => {
  expect(nearestName('cluade', ['claude', 'codex'])).toBe('claude')
  expect(nearestName('ab', ['ba'])).toBe('ba')
  expect(nearestName('on', ['off'])).toBeUndefined()
  expect(nearestName('claude', [])).toBeUndefined()
})

test('CONFIG-10 if no name is near, the sentence lists the known names', () => {
  expect(didYouMean('zebra', ['trip', 'warn'])).toBe('; there are trip, warn')
  expect(didYouMean('tripp', ['trip', 'warn'])).toBe('; did you mean "trip"?')
})
