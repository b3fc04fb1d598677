import { expect, it } from 'vitest'
import { type Guidance, type RightSide, type Ruling, rulingsNow, withoutOverruled } from './ruling.ts'

function ruling(test: string, right: RightSide): Ruling {
  return { test, right, wanted: '1', given: '"1"' }
}

function given(test: string, right: RightSide): Guidance {
  return { note: `${test}: the ${right}`, settles: `format:${test}`, ruling: ruling(test, right) }
}

it('CORE-260 a ruling about the same test replaces the one before, and its note', () => {
  const state = {
    guidance: [given('id', 'test'), given('other', 'both')],
    notes: ['Old accounts stay.', 'id: the test', 'other: the both'],
  }
  expect(withoutOverruled(state, ruling('id', 'code'))).toEqual({
    guidance: [given('other', 'both')],
    notes: ['Old accounts stay.', 'other: the both'],
  })
})

it('CORE-260 a ruling applies as long as the agent gets its note', () => {
  const guidance = [given('id', 'test'), given('other', 'both')]
  expect(rulingsNow({ guidance, notes: ['other: the both'] })).toEqual([ruling('other', 'both')])
  expect(rulingsNow({ notes: ['id: the test'] })).toEqual([])
})
