import { describe, expect, it } from 'vitest'
import { configOf, type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { attemptsQuestion, disputedQuestion, nothingChangedQuestion, problemQuestion, reviewQuestion } from './questions.ts'
import { tampering } from '../../guards/index.ts'
import type { Failure } from '../../core/failure.ts'
import type { Question } from '../../core/question.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

function failure(id: string, more: Partial<Failure> = {}): Failure {
  return { id, message: `${id} is wrong`, kind: 'assertion', ...more }
}

const mismatch = failure('login > id', { message: 'not equal', expected: '{ userId: 123 }', received: '{ userId: "123" }' })
const raise = { guard: 'maxIterations', setting: 'iterationsMax', to: 6, label: 'up to 6 iterations' }
const trip: Trip = {
  guard: 'maxIterations',
  severity: 'trip',
  message: '3 iterations done.',
  evidence: { facts: [1], measures: {} },
  hint: 'h',
  raise,
}

function asked(iterations: readonly IterationGiven[]): Question {
  return attemptsQuestion(stateAfter(iterations), [trip], { includesDiff: true })
}

function textOf(state: State): readonly string[] {
  return attemptsQuestion(state, [trip], { includesDiff: false }).text.split('\n')
}

function choices({ options }: Question): readonly string[] {
  return options.map((option) => option.choice)
}

describe('a question after attempts', () => {
  it('GUARD-238 tells what the agent did to its tests, and whoever continues has it put back', () => {
    const suspicions = [{ kind: 'skipped', file: 'a.test.ts', line: 4, text: 'it.skip()' }]
    const touched: Trip = {
      ...trip,
      guard: 'tampering',
      message: 'It skipped a test.',
      evidence: { facts: [1], measures: { suspicions } },
      disputesPass: true,
    }
    const { raise: _none, ...tampered } = touched
    const question = attemptsQuestion(stateAfter([{ failures: ['a'] }]), [tampered], { includesDiff: false })
    expect(question.text).toContain('It skipped a test.')
    expect(question.options[0]).toMatchObject({
      choice: 'continue',
      consequence: { guidance: expect.stringContaining('Put this back') },
    })
    expect(question.options[0]?.then).toBe('The agent tries again. The prompt lists what to undo.')
    expect(JSON.stringify(question.options[0])).toContain('a.test.ts:4 (a test is skipped): it.skip()')
  })

  it('CLI-514 says in one line which tests the agent changed while they still failed', () => {
    const state = stateAfter([{ failures: ['a'] }], configOf([tampering().spec]))
    const suspicions = [{ kind: 'weakened', file: 'a.test.ts', line: 4, text: 'ok(true)' }] as const
    const withEdits = (of: State): State => ({
      ...of,
      current: { ...of.current, observed: { ...of.current.observed!, suspicions } },
    })
    const said = 'The agent changed what checks it: a.test.ts (1 check weakened)'
    expect(textOf(withEdits(state))).toContain(said)
    expect(textOf(state)).not.toContain(said)
    // A run without the guard, and edits that a person allowed.
    expect(textOf(withEdits(stateAfter([{ failures: ['a'] }])))).not.toContain(said)
    expect(textOf({ ...withEdits(state), allowances: [{ guard: 'tampering', kinds: ['weakened'] }] })).not.toContain(said)
  })

  const thrice = [1, 2, 3].map(() => ({ failures: [mismatch], files: ['src/login.ts'] }))

  it('TASK-100 about a format names both sides and asks which is right', () => {
    expect(asked(thrice)).toMatchInlineSnapshot(`
      {
        "attempts": [
          "Iteration 1: Test failed - login > id: expected { userId: 123 }, received { userId: "123" } (1 failing, 1 file changed)",
          "Iteration 2: Test failed - login > id: expected { userId: 123 }, received { userId: "123" } (1 failing, 1 file changed)",
          "Iteration 3: Test failed - login > id: expected { userId: 123 }, received { userId: "123" } (1 failing, 1 file changed)",
        ],
        "code": "attempts",
        "feedback": [
          "login > id: expected { userId: 123 }, received { userId: "123" } (iterations 1 to 3)",
        ],
        "options": [
          {
            "choice": "change-code",
            "consequence": {
              "guidance": "In "login > id" the test is right: change the code so that it gives userId: 123.",
              "kind": "continue",
              "raises": [
                {
                  "guard": "maxIterations",
                  "label": "up to 6 iterations",
                  "setting": "iterationsMax",
                  "to": 6,
                },
              ],
              "ruling": {
                "given": "userId: "123"",
                "right": "test",
                "test": "login > id",
                "wanted": "userId: 123",
              },
              "settles": "format:login > id",
            },
            "label": "userId: 123, so change the code",
            "recommended": true,
            "says": {
              "after": {
                "code": "go-on.after",
                "values": {
                  "how": "keep-test",
                  "limits": [
                    "up to 6 iterations",
                  ],
                },
              },
              "label": {
                "code": "go-on.change-code",
                "values": {
                  "wanted": "userId: 123",
                },
              },
            },
            "then": "The agent tries again, with up to 6 iterations, and leaves the test as it is.",
          },
          {
            "choice": "change-test",
            "consequence": {
              "allows": [
                {
                  "guard": "tampering",
                  "kinds": [
                    "weakened",
                  ],
                },
              ],
              "guidance": "In "login > id" the code is right: change the test so that it expects userId: "123", and nothing else in it.",
              "kind": "continue",
              "raises": [
                {
                  "guard": "maxIterations",
                  "label": "up to 6 iterations",
                  "setting": "iterationsMax",
                  "to": 6,
                },
              ],
              "ruling": {
                "given": "userId: "123"",
                "right": "code",
                "test": "login > id",
                "wanted": "userId: 123",
              },
              "settles": "format:login > id",
            },
            "label": "userId: "123", so change the test (this expectation only)",
            "says": {
              "after": {
                "code": "go-on.after",
                "values": {
                  "how": "this-test",
                  "limits": [
                    "up to 6 iterations",
                  ],
                },
              },
              "label": {
                "code": "go-on.change-test",
                "values": {
                  "given": "userId: "123"",
                },
              },
            },
            "then": "The agent tries again, with up to 6 iterations, and may change what this test expects.",
          },
          {
            "choice": "accept-both",
            "consequence": {
              "allows": [
                {
                  "guard": "tampering",
                  "kinds": [
                    "weakened",
                  ],
                },
              ],
              "guidance": "In "login > id" both are right: let the code take either form, and the test accept userId: 123 as well as userId: "123".",
              "kind": "continue",
              "raises": [
                {
                  "guard": "maxIterations",
                  "label": "up to 6 iterations",
                  "setting": "iterationsMax",
                  "to": 6,
                },
              ],
              "ruling": {
                "given": "userId: "123"",
                "right": "both",
                "test": "login > id",
                "wanted": "userId: 123",
              },
              "settles": "format:login > id",
            },
            "label": "Both: accept either",
            "says": {
              "after": {
                "code": "go-on.after",
                "values": {
                  "how": "both",
                  "limits": [
                    "up to 6 iterations",
                  ],
                },
              },
              "label": {
                "code": "go-on.accept-both",
              },
            },
            "then": "The agent tries again, with up to 6 iterations, and may change the code and this test.",
          },
          {
            "choice": "abort",
            "consequence": {
              "kind": "abort",
            },
            "label": "End the run (files stay as they are)",
            "says": {
              "after": {
                "code": "abort.then",
              },
              "label": {
                "code": "abort.label",
              },
            },
            "then": "The run ends without success. The files stay as they are.",
          },
        ],
        "pattern": "Code and test disagree about a type in "login > id". The test expects the number 123, the code gives the text "123".",
        "says": {
          "pattern": [
            {
              "code": "pattern.format-mismatch",
              "values": {
                "difference": "type",
                "message": "The test expects the number 123, the code gives the text "123".",
                "test": "login > id",
              },
            },
          ],
          "steps": [
            {
              "code": "step.restore-start",
              "values": {
                "run": "given",
              },
            },
            {
              "code": "step.maxIterations",
              "values": {
                "run": "given",
              },
            },
          ],
          "text": [
            {
              "code": "attempts.failing",
              "values": {
                "attempts": 3,
                "more": 0,
              },
            },
            {
              "code": "attempts.failure",
              "values": {
                "expected": "userId: 123",
                "id": "login > id",
                "received": "userId: "123"",
                "text": "login > id: expected { userId: 123 }, received { userId: "123" }",
              },
            },
            {
              "code": "attempts.ask.format-mismatch",
            },
          ],
        },
        "steps": [
          "No iteration improved anything. Unless you want to keep the changes, start over: pawl restore given 0",
          "If the iterations improve (pawl show given), more of them help. If not, say what the agent doesn't know, or ask for less.",
        ],
        "text": "After 3 attempts this still fails:
      login > id: expected { userId: 123 }, received { userId: "123" }
      Which is right?",
      }
    `)
  })

  it.each<[string, readonly IterationGiven[], string, readonly string[]]>([
    ['no pattern', [{ failures: ['a'] }], 'How should it continue?', ['continue', 'accept', 'abort']],
    ['the same failure', [{ failures: ['a'] }, { failures: ['a'] }], 'How should it continue?', ['continue', 'accept', 'abort']],
    [
      'going back and forth',
      [{ failures: ['a'] }, { failures: ['b'] }, { failures: ['a'] }],
      'Can both pass, or do they contradict each other?',
      ['continue', 'change-test', 'accept', 'abort'],
    ],
    [
      'fixing one and breaking another',
      [{ failures: ['a', 'c'] }, { failures: ['b', 'c'] }],
      'Can both pass, or do they contradict each other?',
      ['continue', 'change-test', 'accept', 'abort'],
    ],
    [
      'an agent that fails',
      [1, 2].map(() => ({ failures: ['a'], agentFailed: 'no key' })),
      'Can the agent work again?',
      ['continue', 'accept', 'abort'],
    ],
    [
      'nothing changed',
      [1, 2].map(() => ({ failures: ['a'], files: [] })),
      'What does the agent need to know?',
      ['continue', 'accept', 'abort'],
    ],
    ['a mismatch', [{ failures: [mismatch] }], 'Which is right?', ['change-code', 'change-test', 'accept-both', 'abort']],
  ])('TASK-101 is built from the pattern: %s', (_name, iterations, ending, expected) => {
    const question = asked(iterations)
    expect(question.text.endsWith(`\n${ending}`)).toBe(true)
    expect(choices(question)).toEqual(expected)
  })

  it.each<[string, readonly IterationGiven[]]>([
    ['a mismatch', thrice],
    ['going back and forth', [{ failures: ['a'] }, { failures: ['b'] }, { failures: ['a'] }]],
    ['an agent that fails', [1, 2].map(() => ({ failures: ['a'], agentFailed: 'no key' }))],
    ['no pattern', [{ failures: ['a'] }]],
  ])('TASK-102 says of every option what happens then, and recommends one: %s', (_name, iterations) => {
    const { options } = asked(iterations)
    expect(options.length).toBeGreaterThanOrEqual(2)
    expect(options.length).toBeLessThanOrEqual(4)
    expect(options.filter((option) => option.recommended)).toHaveLength(1)
    for (const { then = '' } of options) expect(then.length).toBeGreaterThan(20)
    const raises = options.flatMap(({ consequence }) => (consequence.kind === 'continue' ? [consequence.raises] : []))
    expect(raises).toEqual(raises.map(() => [raise]))
  })

  const denied = { calls: 2, message: '2 calls of it were denied.', fix: 'Allow what it needs.' }
  const DENIED = 'In the last attempt the agent changed nothing; its own rules denied it 2 calls.'

  it('TASK-110 of an agent that changed nothing and was denied calls says so, and advises first to allow them', () => {
    for (const count of [1, 2]) {
      const question = asked(Array.from({ length: count }, () => ({ failures: ['a'], files: [], denied })))
      expect(question.text.split('\n').slice(-2)).toEqual([DENIED, 'May the agent do what it was denied?'])
      expect(question.steps?.[0]).toBe('Allow what it needs.')
    }
    const passed = nothingChangedQuestion(stateAfter([{ failures: [], files: [], denied }]))
    expect(passed.text.split('\n').slice(-2)).toEqual([DENIED, 'Is the goal reached?'])
    expect(passed.steps).toEqual(['Allow what it needs.'])
  })

  it.each<[string, readonly IterationGiven[]]>([
    ['it changed something all the same', [{ failures: ['a'], denied }]],
    [
      'it was denied only before',
      [
        { failures: ['a'], denied },
        { failures: ['a'], files: [] },
      ],
    ],
  ])('TASK-110 nothing is said of it where %s', (_name, iterations) => {
    const { text, steps } = asked(iterations)
    expect(text).not.toContain('denied')
    expect(steps).not.toContain('Allow what it needs.')
  })

  it('TASK-103 has a line for each attempt, as people would tell it', () => {
    const iterations: readonly IterationGiven[] = [
      { failures: [failure('build', { kind: 'compile', message: 'missing )' })] },
      { failures: [failure('login', { message: 'token missing userId' })], files: ['a', 'b'] },
      { failures: [failure('slow', { kind: 'timeout', message: 'timed out' })], files: [] },
      { failures: ['x'], agentFailed: 'Exit code 2' },
      { notes: [failure('review', { kind: 'review', message: 'No test.' })] },
      { failures: [] },
    ]
    expect(asked(iterations).attempts).toEqual([
      'Iteration 1: Compiling failed - build: missing ) (1 failing, 1 file changed)',
      'Iteration 2: Test failed - login: token missing userId (1 failing, 2 files changed)',
      'Iteration 3: Test timed out - slow: timed out (1 failing, nothing changed)',
      'Iteration 4: Agent failed - Exit code 2 (1 failing, 1 file changed)',
      'Iteration 5: Review rejected - review: No test. (1 failing, 1 file changed)',
      'Iteration 6: Passed (1 file changed)',
    ])
  })

  it('TASK-104 consolidates what failed over all attempts: once each, now before then, at most ten lines', () => {
    const question = asked([
      { failures: ['a', 'b'] },
      { failures: ['a', failure('c', { kind: 'lint' })] },
      { failures: ['a', 'b', failure('d', { kind: 'compile' })] },
    ])
    expect(question.feedback).toEqual([
      'd: d is wrong (iteration 3)',
      'a: a is wrong (iterations 1 to 3)',
      'b: b is wrong (iterations 1, 3)',
      'c: c is wrong (iteration 2, not any more)',
    ])
    const many = asked([{ failures: Array.from({ length: 30 }, (_, index) => `t${index}`) }]).feedback ?? []
    expect(many).toHaveLength(10)
    expect(many.at(-1)).toBe('… and 21 more')
  })

  it('TASK-105 tells of an agent that did not finish, also where something else is asked', () => {
    const { text } = asked([{ failures: ['a'], agentFailed: 'nothing helped in 25 tries' }])
    expect(text).toContain("\nIn the last attempt the agent didn't finish: nothing helped in 25 tries\nHow should it continue?")
  })

  it('TASK-105 tells what an agent said that changed nothing', () => {
    const { text } = asked([{ failures: [mismatch], files: [], said: 'Which of them is right?' }])
    expect(text).toContain('\nIn the last attempt the agent changed nothing. It said: Which of them is right?\nWhich is right?')
  })

  it('TASK-180 shows first the failure that the question is about', () => {
    const other = failure('label', { message: 'not equal', expected: "'$3.00'", received: "'$3'" })
    const { text } = asked([{ failures: [failure('crash', { kind: 'exception' }), mismatch, other] }])
    expect(text).toMatch(/^After 1 attempt this still fails, and 2 more:\nlogin > id: expected /)
    expect(text).toMatch(/Which is right\?$/)
  })

  const budget: Trip = { ...trip, guard: 'budget', raise: { ...raise, guard: 'budget', setting: 'costUsdMax' } }
  it.each<[string, readonly IterationGiven[], readonly Trip[]]>([
    ['it is one of four that fail', [1, 2].map(() => ({ failures: ['a', 'b', 'c', mismatch] })), [trip]],
    ['it is one of two', [1, 2].map(() => ({ failures: ['a', mismatch] })), [trip]],
    ['the agent failed', [{ failures: [mismatch], agentFailed: 'no key' }], [trip]],
    ['the agent changed nothing and did not say why', [{ failures: [mismatch], files: [] }], [trip]],
    ['a budget ended it', thrice, [budget]],
    ['a budget ended it, as a part of a guard', thrice, [{ ...trip, guard: 'anyOf', of: ['budget'] }]],
  ])('TASK-181 a format is seen and not asked about where %s', (_name, iterations, trips) => {
    const question = attemptsQuestion(stateAfter(iterations), trips, { includesDiff: false })
    expect(question.text).not.toContain('Which of the two')
    expect(choices(question)).toEqual(expect.arrayContaining(['continue', 'accept', 'abort']))
    expect(question.pattern).toContain('Code and test disagree about a type in "login > id".')
  })

  it('TASK-106 counts the attempts at the task under way, and names it', () => {
    const state: State = {
      ...stateAfter([{ failures: ['a', 'b'] }, { failures: ['a', 'b'] }]),
      unit: { id: 'one', index: 0, count: 2, firstIteration: 2 },
    }
    const { text, options } = attemptsQuestion(state, [], { includesDiff: false })
    expect(text).toMatch(/^Task 1 of 2 \(one\): after 1 attempt this still fails, and 1 more:\na: a is wrong\n/)
    expect(options.find((option) => option.choice === 'accept')?.then).toContain('the next one begins')
  })
})

describe('other questions', () => {
  it('TASK-107 a pass that is not believed: put back, accept or end; the prompt lists the exact lines', () => {
    const state = stateAfter([{ failures: [] }])
    const suspicions = [
      { kind: 'skipped', file: 'a.test.ts', line: 3, text: "it.skip('adds')" },
      { kind: 'deleted', file: 'b.test.ts', text: "it('subtracts')" },
    ]
    const evidence = { facts: [], measures: { suspicions, vanished: ['subtracts'] } }
    const question = disputedQuestion(state, [{ ...trip, message: 'A test was skipped.', evidence }])
    expect(question.text).toBe('The checks pass, but:\nA test was skipped.\nIs that intended?')
    expect(choices(question)).toEqual(['continue', 'accept', 'false-alarm', 'abort'])
    const [putBack] = question.options
    expect(putBack?.consequence.kind === 'continue' && putBack.consequence.guidance).toBe(
      [
        'The checks pass only because of what you changed in them. Put this back, and reach the goal without it:',
        "- a.test.ts:3 (a test is skipped): it.skip('adds')",
        "- b.test.ts (a test was deleted): it('subtracts')",
        '- the test "subtracts" does not run any more',
      ].join('\n'),
    )
  })

  it('TASK-108 a review names the files changed and how to look at them', () => {
    const state = stateAfter([{ failures: ['a'], files: ['src/a.ts'] }, { files: ['src/b.ts', 'src/a.ts'] }])
    const question = reviewQuestion(state, 'The sum is right')
    expect(question.text).toBe(
      'Every other check passes. Does the work reach the goal?\nThe sum is right\nIt changed src/a.ts and src/b.ts. See the diff: pawl diff given --total',
    )
    expect(choices(question)).toEqual(['approve', 'reject', 'abort'])
  })

  it('TASK-109 every other question says what happens after each answer, too', () => {
    const state = stateAfter([{ failures: [] }])
    const problem = {
      seq: 1,
      key: 'k',
      code: 'check',
      check: 'tests',
      fault: 'config',
      message: 'npm: not found',
      fix: 'Install npm.',
    } as const
    const questions = [
      problemQuestion(state, problem),
      nothingChangedQuestion(state),
      reviewQuestion(state, 'g'),
      disputedQuestion(state, [trip]),
    ]
    for (const { options } of questions) {
      for (const { then = '' } of options) expect(then).toMatch(/^[A-Z].*[^.]\.?$/)
    }
  })
})
