import { describe, expect, it } from 'vitest'
import { checkFact, play, proofFact, usual } from '../../../test/support/play.ts'
import type { Effect } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { maxIterations } from '../../guards/index.ts'
import { taskLoop } from './index.ts'
import { isSyntaxError } from './test-first.ts'

interface Iteration {
  readonly tests?: readonly string[]
  readonly others?: readonly string[]
  readonly failing?: readonly string[]
  readonly message?: string
}

/** Plays a run in which each iteration changes these files and fails like this; `coder` and `writer` are who works. */
function playTests(iterations: readonly Iteration[], { coder = 'coder', writer = 'writer', testFirst = true, max = 9 } = {}) {
  const given = (effect: Effect): Iteration => iterations[effect.iteration - 1] ?? {}
  return play({
    loop: taskLoop({ goal: 'It is right', testFirst }),
    guards: [maxIterations(max)],
    respond: (effect: Effect, state: State): readonly Fact[] | undefined => {
      const { key, iteration } = effect
      const at = state.at + 1
      switch (effect.kind) {
        case 'work': {
          const by = { role: 'agent', name: effect.role === 'coder' ? coder : writer } as const
          return [{ type: 'work.finished', at, by, data: { key, durationMs: 1 } }]
        }
        case 'sides': {
          const { tests = [], others = [] } = given(effect)
          const counts = { files: tests, filesCount: tests.length, others, othersCount: others.length }
          return [{ type: 'tests.written', at, by: { role: 'runner' }, data: { key, iteration, ...counts } }]
        }
        case 'check': {
          const { failing = [], message = 'is wrong' } = iteration === 0 ? {} : given(effect)
          return [
            checkFact(
              effect,
              state,
              failing.map((id): Failure => ({ id, message, kind: 'assertion' })),
            ),
          ]
        }
        case 'prove':
          return [proofFact(effect, state, effect.written ? { level: 'self-tested' } : { level: 'unproven' })]
        default:
          return usual(effect, state)
      }
    },
  })
}

const TEST = 'test/median.test.js'
const RED = { tests: [TEST], failing: ['median'] }

function roles(played: ReturnType<typeof play>): readonly string[] {
  return played.events.flatMap(({ type, data }) => (type === 'work.finished' ? [(data as { key: string }).key] : []))
}

describe('tests that are written first', () => {
  it('TASK-190 are written in an iteration of their own; once they fail, the work begins and is proven with them', () => {
    const played = playTests([RED])
    expect(roles(played)).toEqual(['1/test_writer/0', '2/coder/0'])
    expect(played.events.find(({ type }) => type === 'tests.accepted')?.data).toMatchObject({ iteration: 1, failing: ['median'] })
    expect(played.state).toMatchObject({ status: 'completed', baseline: { tree: 'tree-1', failures: [{ id: 'median' }] } })
    expect(played.state.recent).toHaveLength(1)
  })

  it.each<[string, Iteration, string]>([
    ['pass already', { tests: [TEST] }, 'pass already'],
    ['are not there', { failing: ['median'] }, 'No test was written'],
    ['come with other changes', { ...RED, others: ['src/median.js'] }, 'also src/median.js'],
    ['have a syntax error', { ...RED, message: 'SyntaxError: Unexpected token }' }, 'syntax error'],
  ])('TASK-191 are written once more if they %s, and then Pawl asks', (_name, iteration, words) => {
    const played = playTests([iteration, iteration])
    expect(roles(played)).toEqual(['1/test_writer/0', '2/test_writer/0'])
    expect(played.events.find(({ type }) => type === 'decision.made')?.data).toMatchObject({ action: 'retry' })
    expect(played.state.question?.question).toMatchObject({ code: 'tests', text: expect.stringContaining(words) })
    const by = { role: 'person' } as const
    const answer = (choice: string): Fact => ({ type: 'escalation.answered', at: 0, by, data: { choice } })
    expect(roles(played.on(answer('continue'))).at(2)).toBe('3/test_writer/0')
    expect(roles(played.on(answer('without-tests'))).slice(2)).toEqual(['3/coder/0'])
  })

  it('TASK-192 the next brief says what was wrong with the tests', () => {
    const briefs: string[] = []
    play({
      loop: taskLoop({ goal: 'It is right', testFirst: true }),
      guards: [maxIterations(2)],
      respond: (effect, state) => {
        if (effect.kind === 'work') briefs.push(effect.brief)
        if (effect.kind !== 'sides') return usual(effect, state)
        const { key, iteration } = effect
        const data = { key, iteration, files: [TEST], filesCount: 1, others: ['src/a.js'], othersCount: 1 }
        return [{ type: 'tests.written', at: state.at + 1, by: { role: 'runner' }, data }]
      },
    })
    expect(briefs[0]).toContain('Write the tests for this goal')
    expect(briefs[0]).not.toContain('What was wrong')
    expect(briefs[1]).toContain('# What was wrong with your tests\nYou changed files that are not tests.')
    expect(briefs[1]).toContain('- `src/a.js`')
  })

  it.each([
    ['by another agent', 'writer', undefined],
    ['by the coder itself', 'coder', true],
  ])('TASK-193 the proof knows that tests were written %s', (_name, writer, isOwn) => {
    const proofs: unknown[] = []
    const played = playTests([RED], { writer })
    for (const { type, data } of played.events) if (type === 'proof.made') proofs.push(data)
    expect(proofs).toHaveLength(1)
    expect(played.state.slices?.tests?.isOwn).toBe(isOwn)
  })

  it('TASK-194 the answer "write-test" has a test written for work that is there, and nobody works on the goal meanwhile', () => {
    const asked = playTests([{}, { tests: [TEST] }], { testFirst: false })
    expect(asked.state.question?.question.code).toBe('unproven')
    const answer: Fact = { type: 'escalation.answered', at: 0, by: { role: 'person' }, data: { choice: 'write-test' } }
    const played = asked.on(answer)
    expect(roles(played)).toEqual(['1/coder/0', '2/test_writer/0'])
    expect(played.state.status).toBe('completed')
  })

  it('TASK-195 a task without settings of its own takes those of the whole loop', () => {
    const tasks = [{ id: 'a', goal: 'a' }]
    const { state } = play({ loop: taskLoop({ goal: 'g', tasks, testFirst: true }), guards: [maxIterations(1)] })
    expect(state.slices?.plan?.items).toEqual(tasks)
    expect(state.question?.question.code).toBe('tests')
  })
})

describe('a syntax error', () => {
  it.each([
    ['SyntaxError: Unexpected token', true],
    ["SyntaxError: The requested module './a.js' does not provide an export named 'median'", false],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/a/median.js'", false],
    ["ImportError: cannot import name 'median' from 'stats'", false],
    ['IndentationError: unexpected indent', true],
    ['  File "test_a.py", line 3\nSyntaxError: invalid syntax', true],
    ['AttributeError: module stats has no attribute median', false],
    ['expected 1 to be 2', false],
    ["expected ';' before '}' token", false],
  ])('PROOF-30 %s', (message, isOne) => {
    expect(isSyntaxError({ id: 'a', message, kind: 'exception' })).toBe(isOne)
  })

  it.each([
    ["error TS1005: ';' expected.", true],
    ["error TS2305: Module './a' has no exported member 'median'.", false],
    ['error[E0425]: cannot find function `median` in this scope', false],
    ['expected one of `!` or `::`, found `{`', true],
    ['undefined: Median', false],
  ])('PROOF-30 of a compiler: %s', (message, isOne) => {
    expect(isSyntaxError({ id: 'a', message, kind: 'compile' })).toBe(isOne)
  })
})
