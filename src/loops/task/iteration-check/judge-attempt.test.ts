import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { State } from '../../../core/state.ts'
import { type CheckDocument, documentProblems, type IterationControl } from './check-document.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { reviewIssues } from './attempt-facts.ts'
import { testOutput } from './test-output.ts'

const read = testOutput([])

/** The decision logic of the seed with our rulings, written down once more and as plainly as can be. */
function expected({ iteration_check, iteration_control = {} }: CheckDocument): string {
  const { current_iteration, max_iterations = 3, test_result, review_result } = iteration_check
  if (test_result.status === 'error') return 'escalate'
  const isReviewFine = !review_result || review_result.status === 'approve'
  if (test_result.status === 'pass' && isReviewFine) return 'proceed'
  if (test_result.status === 'pass' && review_result?.status === 'pending') return 'wait'
  if (current_iteration >= max_iterations) return 'escalate'
  if (test_result.status === 'fail' && iteration_control.auto_retry_on_test_fail === false) return 'escalate'
  if (review_result?.status === 'reject' && iteration_control.auto_retry_on_review_reject === false) return 'escalate'
  return 'retry'
}

const control: fc.Arbitrary<IterationControl> = fc.record({
  auto_retry_on_test_fail: fc.boolean(),
  auto_retry_on_review_reject: fc.boolean(),
  escalation_includes_diff: fc.boolean(),
  feedback_max_length: fc.integer({ min: 1, max: 2000 }),
})

const attempts = fc.array(
  fc.record({
    control,
    max_iterations: fc.integer({ min: 1, max: 6 }),
    test_result: fc.record({
      status: fc.constantFrom('pass' as const, 'fail' as const, 'error' as const),
      output: fc.option(fc.string()),
    }),
    review_result: fc.option(
      fc.record({
        status: fc.constantFrom('approve' as const, 'reject' as const, 'pending' as const),
        feedback: fc.option(fc.string()),
      }),
      { nil: undefined },
    ),
    /** Whether the number goes up after an escalation or a wait. */
    goesUp: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

test('TASK-165 whatever attempts come one after another, each decision is the one that the seed and its rulings ask for', () => {
  fc.assert(
    fc.property(attempts, (given) => {
      let state: State | undefined
      let current_iteration = 1
      for (const { control: iteration_control, goesUp, max_iterations, test_result, review_result } of given) {
        const check = { task_id: 'a', current_iteration, max_iterations, test_result }
        const document: CheckDocument = {
          iteration_check: { ...check, ...(review_result ? { review_result } : {}) },
          iteration_control,
        }
        expect(documentProblems(document)).toEqual([])
        const judged = judgeAttempt('r', state, { document, at: 0 }, read)
        const { decision } = judged.decision
        expect(decision.action).toBe(expected(document))
        expect(judged.append.map(({ seq }) => seq)).toEqual(judged.append.map((_, index) => (state?.seq ?? 0) + index + 1))
        state = decision.action === 'proceed' ? undefined : judged.state
        expect(decision).toMatchObject(decision.action === 'retry' ? { iteration: current_iteration + 1 } : {})
        if (decision.action === 'retry' || goesUp) current_iteration++
      }
    }),
    { numRuns: 200 },
  )
})

test('TASK-166 output that no parser understands is represented by its last lines, an empty one in words', () => {
  expect(read('')).toEqual({ failures: [] })
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  const [failure] = read(lines).failures
  expect(failure?.message.split('\n')).toHaveLength(12)
  expect(failure?.message).toContain('line 39')
})

test.each([
  ['', [['major', 'Rejected without a word on why.']]],
  ['Just one thing.', [['major', 'Just one thing.']]],
  [
    '1. [critical] The id is text\n   in src/a.ts:7\n2) nit: spaces\n\nA paragraph\nof two lines.',
    [
      ['critical', '[critical] The id is text in src/a.ts:7'],
      ['minor', 'nit: spaces'],
      ['major', 'A paragraph of two lines.'],
    ],
  ],
])('TASK-157 the review %j has these points', (feedback, points) => {
  expect(reviewIssues(feedback).map(({ severity, message }) => [severity, message])).toEqual(points)
})

test('TASK-157 a place that a point names is kept', () => {
  expect(reviewIssues('See src/a.ts:7 for it')).toMatchObject([{ file: 'src/a.ts', line: 7 }])
})

test('FEED-2 prose with headings, severities and several sentences is taken apart; praise is no item', () => {
  const feedback = [
    'Looks good overall. The token is missing the userId. It has to be a number. Please rename `foo` as well.',
    '',
    '## Critical',
    '- The password is logged in src/login.ts:12.',
    '  Remove that line.',
    '## Minor issues',
    '1. Spelling in the README.',
    '',
    '**Strengths:**',
    '- Clear names.',
    '',
    '### Security',
    'Tokens never expire.',
  ].join('\n')
  expect(reviewIssues(feedback).map(({ severity, message }) => [severity, message])).toEqual([
    ['major', 'The token is missing the userId. It has to be a number.'],
    ['major', 'Please rename `foo` as well.'],
    ['critical', 'The password is logged in src/login.ts:12. Remove that line.'],
    ['minor', 'Spelling in the README.'],
    ['security', 'Tokens never expire.'],
  ])
  expect(reviewIssues('Looks good overall, but the token is wrong.')).toHaveLength(1)
  expect(reviewIssues('Looks good.')).toMatchObject([{ message: 'Looks good.' }])
})
