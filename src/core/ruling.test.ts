import { expect, it } from 'vitest'
import { type GivenRuling, rulingsNow, withoutOverruled } from './ruling.ts'

function given(test: string, right: GivenRuling['right']): GivenRuling {
  return { test, right, wanted: '1', given: '"1"', note: `${test}: the ${right}` }
}

it('CORE-260 a ruling about the same test replaces the one before, and its note', () => {
  const state = {
    rulings: [given('id', 'test'), given('other', 'both')],
    notes: ['Old accounts stay.', 'id: the test', 'other: the both'],
  }
  expect(withoutOverruled(state, given('id', 'code'))).toEqual({
    rulings: [given('other', 'both')],
    notes: ['Old accounts stay.', 'other: the both'],
  })
})

it('CORE-260 a ruling applies as long as the agent gets its note', () => {
  const rulings = [given('id', 'test'), given('other', 'both')]
  expect(rulingsNow({ rulings, notes: ['other: the both'] })).toEqual([
    { test: 'other', right: 'both', wanted: '1', given: '"1"' },
  ])
  expect(rulingsNow({ notes: ['id: the test'] })).toEqual([])
})
