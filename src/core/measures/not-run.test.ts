import { describe, expect, it } from 'vitest'
import { type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { consolidatedFeedback } from '../../loops/shared/questions.ts'
import { attemptLines } from '../failure-item.ts'
import type { Failure } from '../failure.ts'
import { testsNotRun } from './verdict-of.ts'
import { feedbackFrom } from '../../loops/shared/feedback.ts'

const broken: Failure = { id: 'test/a.test.js', file: 'test/a.test.js', kind: 'exception', message: 'x is not defined' }
const compile: Failure = { id: 'src/a.ts: no such name', file: 'src/a.ts', kind: 'compile', message: 'no such name' }
const hung: Failure = { id: 'tests', kind: 'timeout', message: 'Not done within 5 s.' }
const lint: Failure = { id: 'src/a.ts: unused', file: 'src/a.ts', kind: 'lint', message: 'unused' }

function notRun(iterations: readonly IterationGiven[]): number | undefined {
  return stateAfter(iterations).recent.at(-1)?.notRun
}

const whole: IterationGiven = { failures: ['a', 'b', 'c', 'd'], tests: 6 }

describe('tests that did not run', () => {
  it.each<[string, readonly IterationGiven[], number | undefined]>([
    ['all of them, where a file does not load', [whole, { failures: [broken], tests: 1 }], 6],
    ['for as long as it does not', [whole, { failures: [broken], tests: 1 }, { failures: [broken], tests: 1 }], 6],
    ['those of one file of two', [whole, { failures: [broken], tests: 4 }], 3],
    ['all of them, where nothing compiles', [whole, { failures: [compile], tests: 1 }], 6],
    [
      'also where all had failed',
      [
        { failures: ['a', 'b'], tests: 2 },
        { failures: [broken], tests: 1 },
      ],
      2,
    ],
    ['those that are gone', [whole, { failures: ['a'], tests: 3 }], 3],
    ['none where all ran', [whole, { failures: ['a'], tests: 6 }], undefined],
    ['none where there are more', [whole, { failures: ['a'], tests: 9 }], undefined],
    ['none at first', [{ failures: [broken], tests: 1 }], undefined],
    ['none where the file did not load before either', [1, 2].map(() => ({ failures: [broken], tests: 1 })), undefined],
    [
      'none of a linter, which names failures only',
      [
        { failures: [lint, { ...lint, id: 'src/a.ts: twice' }], tests: 2 },
        { failures: [lint], tests: 1 },
      ],
      undefined,
    ],
  ])('CORE-262 are counted: %s', (_name, iterations, expected) => {
    expect(notRun(iterations)).toBe(expected)
  })

  it('CORE-262 are all of them if the check ran out of time and counted none', () => {
    const state = stateAfter([whole])
    const check = { name: 'tests', passed: false, isReview: false, failures: [hung] } as never
    expect(testsNotRun({ ...state, current: { ...state.current, checks: [check] } })).toBe(6)
  })

  it('CORE-262 are in the agent’s brief, for the attempt and for what failed before', () => {
    const state = stateAfter([whole, { failures: [broken], tests: 1 }])
    expect(feedbackFrom(state).movement).toBe('1 new, 6 tests did not run')
    expect(attemptLines(state)[1]).toMatch(/ \(1 failing, 6 did not run, 1 file changed\)$/)
    expect(consolidatedFeedback(state)[1]).toBe('a: a is wrong (iteration 1, not seen since)')
  })
})
