import { describe, expect, it } from 'vitest'
import { type CoderHandoff, contractsWith, type PlanHandoff, refusalOf, ruleNames } from './contracts.ts'

const { plannerToCoder, coderToReview, reviewToLearn, testerToDecide } = contractsWith()

const plan: PlanHandoff = { items: [{ id: 'a', goal: 'Do a.' }], index: 0, status: 'running' }
const pass: CoderHandoff = { items: plan.items, index: 0, coder: 'coder_a', summary: 'Did a.', outputBytes: 0, filesChanged: 0 }

describe('the contract between planner and coder', () => {
  it.each<[rule: string, change: Partial<PlanHandoff>, broken: string | undefined, value?: unknown]>([
    ['REVIEW-10 a plan with an item that is described is handed on', {}, undefined],
    ['REVIEW-10 a plan without items is refused', { items: [] }, 'todo_items_empty', 0],
    ['REVIEW-10 an item outside the plan is refused', { index: 1 }, 'current_item_index_out_of_bounds', { index: 1, items: 1 }],
    ['REVIEW-10 a negative index is refused', { index: -1 }, 'current_item_index_out_of_bounds', { index: -1, items: 1 }],
    [
      'REVIEW-10 an item without a description is refused',
      { items: [{ id: 'a', goal: ' \n' }] },
      'current_item_empty_description',
      { item: 'a', description: ' \n' },
    ],
    [
      'REVIEW-10 a type that nobody works on is refused, in any item',
      { items: [...plan.items, { id: 'b', goal: 'b', settings: { type: 'dancing' } }] },
      'invalid_task_type',
      [{ item: 'b', type: 'dancing' }],
    ],
    ['REVIEW-10 an error that nobody dealt with is refused', { error: 'no model' }, 'unhandled_error_message', 'no model'],
    ['REVIEW-10 a run that has ended is refused', { status: 'stopped' }, 'phase_already_stopped', 'stopped'],
  ])('%s', (_rule, change, broken, value) => {
    const refusal = refusalOf(plannerToCoder, { ...plan, ...change })
    const expected = { contract: 'planner_to_coder', rule: broken, value, message: expect.any(String) }
    expect(refusal).toEqual(broken === undefined ? undefined : expected)
  })

  it.each(['coding', 'documentation', 'testing', 'ops'])('REVIEW-10 an item may be about %s', (type) => {
    expect(refusalOf(plannerToCoder, { ...plan, items: [{ id: 'a', goal: 'a', settings: { type } }] })).toBeUndefined()
  })
})

describe('the other contracts', () => {
  it.each<[rule: string, change: Partial<CoderHandoff>, broken: string | undefined]>([
    ['REVIEW-11 words are a result', {}, undefined],
    ['REVIEW-11 changed files are a result without words', { summary: '', filesChanged: 2 }, undefined],
    ['REVIEW-11 printed output is a result', { summary: '', outputBytes: 9 }, undefined],
    ['REVIEW-11 an empty line is no word', { summary: '\n' }, 'coder_result_empty'],
    ['REVIEW-11 nothing said and nothing done is refused', { summary: ' ' }, 'coder_result_empty'],
    ['REVIEW-11 a pass at an item outside the plan is refused', { index: 4 }, 'current_item_index_out_of_bounds'],
  ])('%s', (_rule, change, broken) => {
    expect(refusalOf(coderToReview, { ...pass, ...change })?.rule).toBe(broken)
  })

  it('REVIEW-12 a review that asks for rework without a word is refused, an approval needs none', () => {
    const silent = { name: 'review', isApproved: false, notes: ['  '] }
    expect(refusalOf(reviewToLearn, { reviews: [silent] })).toEqual({
      contract: 'peer_review_to_learn',
      rule: 'peer_review_notes_empty',
      message: expect.stringContaining('what is wrong'),
      value: ['review'],
    })
    expect(refusalOf(reviewToLearn, { reviews: [] })?.rule).toBe('peer_review_notes_empty')
    expect(refusalOf(reviewToLearn, { reviews: [{ ...silent, isApproved: true }] })).toBeUndefined()
    expect(refusalOf(reviewToLearn, { reviews: [{ ...silent, notes: ['No tests.'] }] })).toBeUndefined()
  })

  it('REVIEW-13 a decision without a test result is refused, tests that could not run are a result', () => {
    expect(refusalOf(testerToDecide, { results: [] })?.rule).toBe('test_result_empty')
    expect(refusalOf(testerToDecide, { results: [], trouble: 'no database' })).toBeUndefined()
    expect(refusalOf(testerToDecide, { results: [{ name: 'tests', passed: false }] })).toBeUndefined()
  })
})

describe('rules of a user', () => {
  const mustSayWhy = {
    rule: 'must_say_why',
    holds: ({ summary }: CoderHandoff) => summary.includes('because'),
    message: 'The coder must say why.',
  }

  it('REVIEW-14 come after those that are built in, and are named with their contract', () => {
    const rules = { coderToReview: [mustSayWhy] }
    const { coderToReview: contract } = contractsWith(rules)
    expect(refusalOf(contract, pass)).toMatchObject({ rule: 'must_say_why', value: { coder: 'coder_a', summary: 'Did a.' } })
    expect(refusalOf(contract, { ...pass, summary: '' })?.rule).toBe('coder_result_empty')
    expect(ruleNames(rules)).toEqual(['coder_to_peer_review:must_say_why'])
  })

  it('REVIEW-14 cannot take a name that is taken', () => {
    expect(() => contractsWith({ coderToReview: [{ ...mustSayWhy, rule: 'coder_result_empty' }] })).toThrow('another name')
  })

  it('REVIEW-15 only the beginning of a long value is shown', () => {
    const { coderToReview: contract } = contractsWith({ coderToReview: [mustSayWhy] })
    const { value } = refusalOf(contract, { ...pass, summary: 'x'.repeat(5000) }) ?? {}
    expect(String(value).length).toBeLessThan(1100)
  })
})
