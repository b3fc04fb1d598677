import { describe, expect, test } from 'vitest'
import { PawlError } from '../../core/pawl-error.ts'
import { type CheckDocument, type IterationCheck, iterationCheck } from './iteration-check.ts'

/** The input of the seed, word for word. */
const SEED: CheckDocument = {
  iteration_check: {
    task_id: 'task-003',
    current_iteration: 2,
    max_iterations: 3,
    test_result: {
      status: 'fail',
      output: 'FAIL src/auth/login.test.ts\nExpected: token to contain userId\nReceived: undefined\n',
    },
    review_result: { status: 'pending', feedback: '' },
  },
}

function attempt(current_iteration: number, more: Partial<IterationCheck> = {}): CheckDocument {
  return { iteration_check: { task_id: 'task-003', current_iteration, test_result: { status: 'fail' }, ...more } }
}

function actions(...documents: readonly CheckDocument[]): readonly string[] {
  return iterationCheck(documents).map(({ decision }) => decision.action)
}

function failing(output: string): Partial<IterationCheck> {
  return { test_result: { status: 'fail', output } }
}

function complaintsAbout(...documents: readonly CheckDocument[]): readonly string[] {
  try {
    iterationCheck(documents)
    return []
  } catch (error) {
    if (error instanceof PawlError && error.code === 'usage.document') return error.message.split('\n')
    throw error
  }
}

describe('the seed', () => {
  test('TASK-150 its input gives retry, with the next iteration and feedback that quotes the output', () => {
    expect(iterationCheck(SEED)).toEqual({
      decision: {
        action: 'retry',
        task_id: 'task-003',
        iteration: 3,
        feedback: {
          summary: expect.stringContaining('expected token to contain userId, received undefined'),
          actionable_items: ['src/auth/login.test.ts: expected token to contain userId, received undefined'],
          priority: 'high',
        },
      },
    })
  })

  test('TASK-151 tests that pass and a review that approves give proceed, in its very words', () => {
    const passed = attempt(3, { test_result: { status: 'pass' }, review_result: { status: 'approve' } })
    expect(iterationCheck(passed)).toEqual({
      decision: { action: 'proceed', task_id: 'task-003', message: 'Validation passed. Proceeding to next task.' },
    })
  })

  test('TASK-152 at the maximum it gives escalate: every attempt, the pattern, and a question with numbered options', () => {
    const outputs = [
      'FAIL src/auth/login.test.ts\nExpected: token\nReceived: undefined',
      'FAIL src/auth/login.test.ts\nExpected: token to contain userId\nReceived: undefined',
      'FAIL src/auth/login.test.ts\nExpected: { userId: 123 }\nReceived: { userId: "123" }',
    ]
    const { decision } = iterationCheck(outputs.map((output, index) => attempt(index + 1, failing(output)))).at(-1) ?? {}
    if (decision?.action !== 'escalate') throw new Error(`It gave ${decision?.action}.`)
    expect(Object.keys(decision)).toEqual(['action', 'task_id', 'iteration', 'context', 'question'])
    expect(decision).toMatchObject({ task_id: 'task-003', iteration: 3 })
    const lines = decision.context.attempts_summary.trimEnd().split('\n')
    expect(lines.map((line) => line.slice(0, 13))).toEqual(['Iteration 1: ', 'Iteration 2: ', 'Iteration 3: '])
    expect(decision.context.pattern_detected).toContain('"123"')
    expect(decision.question).toMatch(/^After 3 attempts/)
    expect(decision.question).toMatch(/\n1\. .*123.*\n2\. .*"123".*\n/)
    expect(decision.question.endsWith('\n')).toBe(true)
  })
})

describe('rulings', () => {
  test('TASK-153 a maximum of 3 means three iterations, counted from 1; 3 is the default', () => {
    expect(actions(attempt(1), attempt(2), attempt(3))).toEqual(['retry', 'retry', 'escalate'])
    expect(actions(attempt(1, { max_iterations: 1 }))).toEqual(['escalate'])
  })

  test('TASK-154 tests that pass wait for a pending review, at the maximum too, and continue when it is there', () => {
    const pass = { test_result: { status: 'pass' } } as const
    const pending = attempt(3, { ...pass, review_result: { status: 'pending' } })
    expect(iterationCheck(pending)).toEqual({
      decision: {
        action: 'wait',
        task_id: 'task-003',
        message: 'Tests passed. Waiting for the review.',
        waiting_for: 'review',
      },
    })
    expect(actions(pending, pending, attempt(3, { ...pass, review_result: { status: 'approve' } }))).toEqual([
      'wait',
      'wait',
      'proceed',
    ])
    expect(actions(pending, attempt(3, { ...pass, review_result: { status: 'reject' } }))).toEqual(['wait', 'escalate'])
    expect(actions(attempt(1, { review_result: { status: 'pending' } }))).toEqual(['retry'])
  })

  test('TASK-155 where nobody reviews, passing tests suffice; success outranks the limit', () => {
    expect(actions(attempt(7, { max_iterations: 3, test_result: { status: 'pass' } }))).toEqual(['proceed'])
  })

  test('TASK-156 tests that could not run are no failed tests: a person is asked, and the iteration is not counted', () => {
    const errored = attempt(1, { test_result: { status: 'error', output: 'sh: jest: not found' } })
    const [first, second] = iterationCheck([errored, attempt(1)])
    expect(first?.decision).toMatchObject({ action: 'escalate', iteration: 1 })
    expect(JSON.stringify(first)).toContain('sh: jest: not found')
    expect(JSON.stringify(first)).toContain("doesn't count as an attempt")
    expect(second?.decision.action).toBe('retry')
  })

  test('TASK-157 what a review asks for becomes feedback, point by point, security first', () => {
    const feedback = '- Minor: rename `x`\n- The query is open to injection\n  (src/db.ts:12)\n'
    const rejected = attempt(1, { test_result: { status: 'pass' }, review_result: { status: 'reject', feedback } })
    const { decision } = iterationCheck(rejected)
    if (decision.action !== 'retry') throw new Error(`It gave ${decision.action}.`)
    expect(decision.feedback.actionable_items).toHaveLength(2)
    expect(decision.feedback.actionable_items[0]).toContain('The query is open to injection')
    expect(decision.feedback.actionable_items[1]).toContain('rename')
  })

  test('TASK-158 a retry that is switched off escalates instead; settings hold for the documents of the task after it', () => {
    const off = { ...attempt(1), iteration_control: { auto_retry_on_test_fail: false } }
    expect(actions(off, attempt(2))).toEqual(['escalate', 'escalate'])
    const rejected = { test_result: { status: 'pass' }, review_result: { status: 'reject' } } as const
    expect(actions({ ...attempt(1, rejected), iteration_control: { auto_retry_on_review_reject: false } })).toEqual(['escalate'])
    expect(actions({ ...attempt(1), iteration_control: { max_iterations: 1 } })).toEqual(['escalate'])
    expect(actions({ ...attempt(1, { max_iterations: 2 }), iteration_control: { max_iterations: 1 } })).toEqual(['retry'])
  })

  test('TASK-159 items are cut to feedback_max_length at whole items', () => {
    const feedback = Array.from({ length: 9 }, (_, index) => `- Part ${index} of the change is missing`).join('\n')
    const rejected = attempt(1, { test_result: { status: 'pass' }, review_result: { status: 'reject', feedback } })
    const items = (feedback_max_length: number): readonly string[] => {
      const { decision } = iterationCheck({ ...rejected, iteration_control: { feedback_max_length } })
      return decision.action === 'retry' ? decision.feedback.actionable_items : []
    }
    const whole = items(5000)
    expect(whole).toHaveLength(9)
    const cut = items(150)
    expect(cut.length).toBeGreaterThan(0)
    expect(cut.length).toBeLessThan(9)
    expect(whole.slice(0, cut.length)).toEqual(cut)
  })

  test('TASK-160 a diff is in the context unless escalation_includes_diff is false', () => {
    const diff = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'
    const [withDiff] = iterationCheck([attempt(3, { diff })])
    expect(withDiff?.decision).toMatchObject({ action: 'escalate', context: { diff } })
    const [without] = iterationCheck([{ ...attempt(3, { diff }), iteration_control: { escalation_includes_diff: false } }])
    expect(JSON.stringify(without)).not.toContain('diff --git')
  })
})

describe('several documents', () => {
  test('TASK-161 each task has its own attempts; one that proceeded begins again', () => {
    const other = { ...attempt(3), iteration_check: { ...attempt(3).iteration_check, task_id: 'other' } }
    const passed = attempt(2, { test_result: { status: 'pass' } })
    expect(actions(attempt(1), other, passed, attempt(1))).toEqual(['retry', 'escalate', 'proceed', 'retry'])
  })

  test('TASK-162 an iteration that was judged before is refused, so that a counter that never changes cannot loop for ever', () => {
    expect(() => iterationCheck([attempt(1), attempt(1)])).toThrow(
      '"current_iteration" of task "task-003" must be at least 2, not 1',
    )
  })

  test('TASK-163 whoever continues after an escalation may hand in the next iteration, or the same again', () => {
    expect(actions(attempt(3), attempt(4), attempt(4, { test_result: { status: 'pass' } }))).toEqual([
      'escalate',
      'escalate',
      'proceed',
    ])
    expect(actions(attempt(3), attempt(4, { max_iterations: 6 }))).toEqual(['escalate', 'retry'])
  })

  test('TASK-164 everything wrong in a document is reported at once, with its fields', () => {
    const wrong = {
      iteration_check: { task_id: '', current_iteration: 0, test_result: { status: 'PASS' }, max_iteration: 3 },
      iteration_control: { auto_retry_on_test_fail: 'yes' },
    } as unknown as CheckDocument
    expect(complaintsAbout(attempt(1), wrong)).toEqual([
      'document 2, iteration_check.max_iteration: unknown key "max_iteration"; did you mean "max_iterations"?',
      'document 2, iteration_check.task_id: "task_id" must be a text that names the task, not an empty text',
      'document 2, iteration_check.current_iteration: "current_iteration" must be the number of iterations completed, a whole number from 1, not 0',
      'document 2, iteration_check.test_result.status: "status" must be pass, fail or error, not the text "PASS"; did you mean "pass"?',
      'document 2, iteration_control.auto_retry_on_test_fail: "auto_retry_on_test_fail" must be true or false, not the text "yes"',
    ])
    expect(() => iterationCheck(7 as unknown as CheckDocument)).toThrow('a document must be a map with "iteration_check", not 7')
    expect(() => iterationCheck({} as CheckDocument)).toThrow('"iteration_check" is missing')
  })
})
