import { describe, expect, it } from 'vitest'
import { type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import type { Failure } from '../../core/failure.ts'
import { oscillation } from '../../guards/oscillation.ts'
import { type Pattern, type PatternKind, patternOf } from './patterns.ts'

function failure(id: string, more: Partial<Failure> = {}): Failure {
  return { id, message: `${id} is wrong`, kind: 'assertion', ...more }
}

const mismatch = failure('id', { message: 'not equal', expected: '123', received: '"123"', file: 'id.test.ts' })
const a = { failures: ['a'] }
const b = { failures: ['b'] }

const cases: readonly (readonly [string, readonly IterationGiven[], PatternKind, string, Partial<Pattern['evidence']>])[] = [
  [
    'a type that code and test disagree about',
    [{ failures: [mismatch] }],
    'format-mismatch',
    'Code and test disagree about a type in "id". The test expects the number 123, the code gives the text "123".',
    { iterations: [1], tests: ['id'], files: ['id.test.ts'] },
  ],
  [
    'an agent that itself fails every time',
    [
      { ...a, agentFailed: 'Exit code 1' },
      { ...a, agentFailed: 'Exit code 1: no key' },
    ],
    'agent-failed',
    'The agent itself failed every time: Exit code 1: no key',
    { iterations: [1, 2] },
  ],
  [
    'an agent that began to fail',
    [a, { ...b, agentFailed: 'x' }, { ...a, agentFailed: 'y' }],
    'agent-failed',
    'The agent itself failed in each of the last 2 attempts: y',
    { iterations: [2, 3] },
  ],
  [
    'nothing that was changed',
    [
      { ...a, files: [] },
      { ...a, files: [] },
    ],
    'nothing-changed',
    'The agent changed nothing in any attempt.',
    { iterations: [1, 2] },
  ],
  [
    'failures that alternate',
    [a, b, { ...a, files: ['x.ts'] }],
    'alternating-failures',
    'The failures alternate: "a", then "b", then the first again.',
    { iterations: [1, 2, 3], tests: ['a', 'b'], files: ['x.ts', 'a'] },
  ],
  [
    'one thing fixed and another broken',
    [{ failures: ['a', 'c'] }, { failures: ['b', 'c'], files: ['x.ts'] }],
    'fixed-one-broke-another',
    'Fixing one thing broke another: iteration 2 fixed "a" and broke "b".',
    { iterations: [2], tests: ['a', 'b'], files: ['x.ts'] },
  ],
  [
    'the same failure again',
    [b, { failures: ['a', 'c'] }, { failures: ['c', 'a'], files: ['x.ts'] }],
    'same-failure',
    'The same failure after each of the last 2 attempts.',
    { iterations: [2, 3], tests: ['c', 'a'], files: ['a', 'x.ts'] },
  ],
  [
    'the same tests with another message',
    [{ failures: [failure('a', { message: 'no token' })] }, { failures: [failure('a', { message: 'no user' })] }],
    'same-tests-other-message',
    'The same test fails after each of the last 2 attempts, each time with a different message: something changes, but not enough.',
    { iterations: [1, 2], tests: ['a'] },
  ],
  [
    'reviews that each ask for something else',
    ['x', 'y'].map((message) => ({ notes: [failure('review', { kind: 'review', message })] })),
    'same-tests-other-message',
    'A review rejected each of the last 2 attempts, each time for a different reason.',
    { iterations: [1, 2] },
  ],
  [
    'work that gets better',
    [
      { failures: ['a', 'b', 'c'], tests: 5 },
      { failures: ['a', 'b'], tests: 5 },
      { failures: ['a'], tests: 5 },
    ],
    'getting-better',
    'Each attempt improves: from 3 failures to 1.',
    { iterations: [1, 2, 3], tests: ['c', 'b'] },
  ],
  [
    'one file that is edited every time',
    [
      { failures: ['a'], files: ['x.ts', 'p.ts'] },
      { failures: ['a', 'b'], files: ['x.ts'] },
      { failures: ['a', 'b', 'c'], files: ['q.ts', 'x.ts'] },
    ],
    'same-file-every-time',
    'x.ts was edited in each of the last 3 attempts, without success.',
    { iterations: [1, 2, 3], tests: [], files: ['x.ts'] },
  ],
]

describe('the attempts show', () => {
  it.each(cases)('CORE-119 %s', (_name, iterations, kind, message, evidence) => {
    expect(patternOf(stateAfter(iterations))).toMatchObject({ kind, message, evidence })
  })

  it.each<[string, readonly IterationGiven[], PatternKind]>([
    ['a disagreement about a format before the same failure', [1, 2].map(() => ({ failures: [mismatch] })), 'format-mismatch'],
    [
      'a failed agent before a disagreement about a format',
      [1, 2].map(() => ({ failures: [mismatch], agentFailed: 'x' })),
      'agent-failed',
    ],
    [
      'nothing changed, without a word, before a disagreement about a format',
      [1, 2].map(() => ({ failures: [mismatch], files: [] })),
      'nothing-changed',
    ],
    [
      'a disagreement about a format before nothing changed by an agent that says why',
      [1, 2].map(() => ({ failures: [mismatch], files: [], said: 'Nothing helped.' })),
      'format-mismatch',
    ],
    [
      'what most of the failures are before one of them that is a disagreement about a format',
      [1, 2].map(() => ({ failures: ['a', 'b', 'c', mismatch] })),
      'same-failure',
    ],
    ['a failed agent before nothing changed', [1, 2].map(() => ({ ...a, files: [], agentFailed: 'x' })), 'agent-failed'],
    ['nothing changed before the same failure', [1, 2].map(() => ({ ...a, files: [] })), 'nothing-changed'],
    ['going back and forth before fixing and breaking', [a, b, a], 'alternating-failures'],
    ['the same failure before one file', [1, 2, 3].map(() => a), 'same-failure'],
    [
      'getting better before one file',
      [['a', 'b', 'c'], ['a', 'b'], ['a']].map((failures) => ({ failures, tests: 3 })),
      'getting-better',
    ],
  ])('CORE-120 the most telling first: %s', (_name, iterations, kind) => {
    expect(patternOf(stateAfter(iterations))?.kind).toBe(kind)
  })

  it.each<[string, readonly IterationGiven[]]>([
    ['no attempt', []],
    ['one attempt that failed', [a]],
    ['one in which the agent failed', [{ ...a, agentFailed: 'x' }]],
    ['one in which nothing was changed', [{ ...a, files: [] }]],
    ['two with other failures each, of which none was fixed', [{ failures: ['a'] }, { failures: ['a', 'b'] }]],
    ['a mismatch that is new and one of many', [{ failures: [mismatch, 'a', 'b'] }]],
    ['two that grow, with one file', [{ failures: ['a'] }, { failures: ['a', 'b'] }]],
  ])('CORE-121 nothing from too little: %s', (_name, iterations) => {
    expect(patternOf(stateAfter(iterations))).toBeUndefined()
  })

  it('CORE-144 no getting better where one failure took the place of another among more tests', () => {
    const moved = [
      { failures: ['a'], tests: 1 },
      { failures: ['a', 'b'], tests: 2 },
      { failures: ['b'], tests: 2, files: ['y.ts'] },
    ]
    expect(patternOf(stateAfter(moved))?.kind).not.toBe('getting-better')
  })

  it('CORE-119 the same failure also where there are more than an earlier attempt remembers', () => {
    const failures = Array.from({ length: 40 }, (_, index) => `test ${index}`)
    const state = stateAfter([{ failures }, { failures }, { failures }])
    expect(patternOf(state)).toMatchObject({ kind: 'same-failure', evidence: { iterations: [1, 2, 3] } })
  })

  it('FEED-1 no contradiction between tests where code did not compile for once', () => {
    const broken = { failures: [failure('src/a.ts > E1', { kind: 'compile', file: 'src/a.ts' })] }
    const unloaded = { failures: [failure('a.test.ts', { kind: 'exception', file: 'a.test.ts' })] }
    for (const once of [broken, unloaded]) {
      expect(patternOf(stateAfter([a, once, a]))?.kind).not.toBe('alternating-failures')
      expect(patternOf(stateAfter([a, once, { failures: ['b'] }]))?.kind).not.toBe('fixed-one-broke-another')
      expect(oscillation().inspect(stateAfter([a, once, a, once]))).toEqual([])
    }
    const other = { failures: [failure('src/b.ts > E1', { kind: 'compile', file: 'src/b.ts' })] }
    expect(patternOf(stateAfter([broken, other, broken]))?.kind).toBe('alternating-failures')
    expect(oscillation().inspect(stateAfter([a, b, a, b]))).toHaveLength(1)
  })

  it('CORE-119 not nothing, where nobody could look at the files', () => {
    const unseen = ['x', 'y'].map((tree) => ({ ...a, files: [], tree }))
    expect(patternOf(stateAfter(unseen))?.kind).toBe('same-failure')
  })

  it('CORE-119 fixing more than it breaks as getting better, the first time', () => {
    const better = [
      { failures: ['a', 'b', 'c'], tests: 9 },
      { failures: ['c', 'd'], tests: 9 },
    ]
    expect(patternOf(stateAfter(better))?.kind).toBe('getting-better')
    expect(patternOf(stateAfter([...better, { failures: ['e'], tests: 9 }]))?.kind).toBe('fixed-one-broke-another')
  })
})
