import { describe, expect, it } from 'vitest'
import { cycleAtEnd } from './oscillation.ts'

describe('cycleAtEnd', () => {
  it.each([
    ['ABAB', { period: 2, turns: 2 }],
    ['xABABAB', { period: 2, turns: 3 }],
    ['ABCABC', { period: 3, turns: 2 }],
    ['AABAAB', { period: 3, turns: 2 }],
    ['ABABA', { period: 2, turns: 2 }],
    ['AAAA', undefined],
    ['ABA', undefined],
    ['ABCDEABCDE', undefined],
    ['', undefined],
  ])('GUARD-38 the round that %s ends with', (values, cycle) => {
    expect(cycleAtEnd([...values], 2, 4)).toEqual(cycle)
  })
})
