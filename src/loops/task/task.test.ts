import { describe, expect, it } from 'vitest'
import { advance } from '../../core/advance.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import type { Event, Fact } from '../../core/event.ts'
import { evolve } from '../evolve.ts'
import type { Guard } from '../../core/guard.ts'
import { budget, circuitBreaker, guardFrom, maxIterations, sameFailure } from '../../guards/index.ts'
import type { State } from '../../core/state.ts'
import { configOf, type IterationGiven, journalOf } from '../../testing/state-builder.ts'
import { taskLoop } from './index.ts'

const loop = taskLoop({ goal: 'The sum is right' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })

/** Given these iterations, when the last one is judged, then … */
function when(iterations: readonly IterationGiven[], guards: readonly Guard[], facts: readonly Fact[] = []) {
  const config = { ...configOf(guards.map((guard) => guard.spec)), loop: loop.spec }
  const given = journalOf(iterations, config).reduce<State | undefined>(evolve, undefined)
  const result = advance(definition, 'given', given, facts)
  const decision = result.append.find((event): event is Event<'decision.made'> => event.type === 'decision.made')?.data
  return { ...result, decision, types: result.append.map((event) => event.type) }
}

const failing = { failures: ['sum'] }
const passing = { failures: [] }

describe('the task loop decides', () => {
  it('TASK-1 proceed: all checks passed', () => {
    const { decision, types, step } = when([failing, passing], [maxIterations(3)])
    expect(decision).toMatchObject({ action: 'proceed', iteration: 2 })
    expect(types).toEqual(['decision.made', 'run.completed'])
    expect(step).toMatchObject({ kind: 'end', outcome: { status: 'completed', iterations: 2 } })
  })

  it('TASK-2 success outranks every limit', () => {
    const guards = [maxIterations(1), budget({ costUsdMax: 1 }), circuitBreaker({ failuresMax: 1 })]
    expect(when([{ ...passing, costUsd: 5 }], guards).decision?.action).toBe('proceed')
  })

  it('TASK-3 retry with feedback while limits allow', () => {
    const { decision, step } = when([failing], [maxIterations(3)])
    expect(decision).toMatchObject({ action: 'retry', message: '1 failure: sum: sum is wrong' })
    if (step.kind !== 'perform') throw new Error('nothing was asked for')
    expect(step.effects).toMatchObject([{ kind: 'work', key: '2/coder/0' }])
    const [work] = step.effects
    expect(work?.kind === 'work' && work.brief).toMatchInlineSnapshot(`
      "# Goal
      The sum is right

      # Where this stands
      This is attempt 2 of at most 3. After the last one: 1 failure.

      # What fails now
      - sum: sum is wrong

      # Tried before, and did not help
      - Attempt 1 changed a: 1 failure

      # How your work is checked
      - tests
      "
    `)
  })

  it('TASK-4 escalate at the maximum, with a question that can be answered', () => {
    const { decision, types, step, state } = when([failing, failing, failing], [maxIterations(3)])
    expect(decision).toMatchObject({ action: 'escalate', trips: ['maxIterations'] })
    expect(types).toEqual(['guard.tripped', 'decision.made', 'escalation.raised'])
    expect(step).toEqual({ kind: 'wait', for: 'person' })
    expect(state.question?.question).toMatchObject({
      text: 'After 3 attempts this still fails:\nsum: sum is wrong\nHow should it continue?',
      pattern: 'The same failure after each of the last 3 attempts.',
      options: [{ choice: 'continue', label: 'Continue, with up to 6 iterations' }, { choice: 'accept' }, { choice: 'abort' }],
    })
  })

  it('TASK-5 stop when a budget is used up', () => {
    const { decision, step } = when([{ ...failing, costUsd: 3 }], [budget({ costUsdMax: 2 })])
    expect(decision?.action).toBe('stop')
    expect(step).toMatchObject({ kind: 'end', outcome: { status: 'stopped', trips: [{ guard: 'budget' }] } })
  })

  it('TASK-6 a warning reaches the next brief once and decides nothing', () => {
    const { decision, types, step } = when([failing, failing], [maxIterations(9), sameFailure({ repeatsMin: 2 })])
    expect(decision?.action).toBe('retry')
    expect(types[0]).toBe('guard.nudged')
    const brief = step.kind === 'perform' && step.effects[0]?.kind === 'work' ? step.effects[0].brief : ''
    expect(brief).toContain('# Take care\n- The same failure 2 iterations in a row')
  })

  it('TASK-7 a code and a test that disagree about a format become a question about that', () => {
    const failure = { id: 'userId', message: 'not equal', kind: 'assertion', expected: '123', received: "'123'" } as const
    const { state } = when([{ failures: [failure] }], [maxIterations(1)])
    expect(state.question?.question.options.map((option) => option.label)).toEqual([
      '123, so change the code',
      "'123', so change the test (this expectation only)",
      'Both: accept either',
      'End the run (files stay as they are)',
    ])
  })

  it('TASK-8 without a goal there is no loop', () => {
    expect(() => taskLoop({ goal: ' ' })).toThrow('taskLoop: goal must be a sentence that says what must be true in the end')
  })
})

function passFact(key: string): Fact {
  const data = { key, name: 'tests', tree: 't', durationMs: 1, failures: [] }
  return { type: 'check.passed', at: 3, by: { role: 'check' }, data }
}

function seenFact(key: string): Fact {
  const data = { key, tree: 'restored', snapshot: 's', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
  return { type: 'workspace.observed', at: 9e9, by: { role: 'person' }, data }
}

function asked() {
  return when([failing, failing, failing], [maxIterations(3), circuitBreaker({ failuresMax: 4 })])
}

describe('a person', () => {
  const person = { role: 'person' } as const

  it('TASK-9 who lets it continue raises the limit, starts the streaks again and is heard', () => {
    const { state } = asked()
    const answer: Fact = {
      type: 'escalation.answered',
      at: 9e9,
      by: person,
      data: { choice: 'continue', note: 'Look at rounding.' },
    }
    const result = advance(definition, 'given', state, [answer])
    expect(result.append.map((event) => event.type)).toEqual(['escalation.answered', 'run.reconfigured'])
    expect(result.state.config.guards[0]?.settings).toEqual({ iterationsMax: 6 })
    expect(result.state.measures.betterScore.failures).toBe(0)
    expect(result.step).toMatchObject({ kind: 'perform', effects: [{ kind: 'observe', by: 'person' }] })
    const seen = {
      key: result.step.kind === 'perform' ? (result.step.effects[0]?.key ?? '') : '',
      tree: 't',
      snapshot: 's',
      files: [],
      filesChanged: 0,
      insertions: 0,
      deletions: 0,
    }
    const on = advance(definition, 'given', result.state, [
      { type: 'workspace.observed', at: 9e9, by: { role: 'runner' }, data: seen },
    ])
    const brief = on.step.kind === 'perform' && on.step.effects[0]?.kind === 'work' ? on.step.effects[0].brief : ''
    expect(brief).toContain('This is attempt 4 of at most 6.')
    expect(brief).toContain('# A person said\n- Look at rounding.\n')
  })

  it.each([
    ['accept', 'run.completed', 'completed', { tree: 'restored' }],
    ['abort', 'run.aborted', 'aborted', { reason: 'Chosen by a person: End the run (files stay as they are)' }],
    ['2', 'run.completed', 'completed', { tree: 'restored' }],
  ])('TASK-10 who answers %s gets %s, for the tree that is there now', (choice, type, status, data) => {
    const answer: Fact = { type: 'escalation.answered', at: 9e9, by: person, data: { choice } }
    const answered = advance(definition, 'given', asked().state, [answer])
    const result =
      answered.step.kind === 'perform'
        ? advance(definition, 'given', answered.state, [seenFact(answered.step.effects[0]?.key ?? '')])
        : answered
    expect(result.append.at(-1)?.type).toBe(type)
    expect(result.state.status).toBe(status)
    expect(result.append.at(-1)?.data).toMatchObject(data)
  })

  it('TASK-11 whose answer is no option leaves the question open', () => {
    const result = advance(definition, 'given', asked().state, [
      { type: 'escalation.answered', at: 9e9, by: person, data: { choice: '7' } },
    ])
    expect(result.step).toEqual({ kind: 'wait', for: 'person' })
  })

  it('TASK-12 who waives a trip lets it go on once; the next time the guard trips again', () => {
    const waive: Fact = { type: 'guard.waived', at: 9e9, by: person, data: { guard: 'maxIterations' } }
    const waived = advance(definition, 'given', asked().state, [waive])
    expect(waived.state.status).toBe('running')
    expect(waived.state.config.guards[0]?.settings).toEqual({ iterationsMax: 3 })
    const key = waived.step.kind === 'perform' ? (waived.step.effects[0]?.key ?? '') : ''
    const begun = advance(definition, 'given', waived.state, [seenFact(key)])
    expect(begun.state.current.number).toBe(4)
    const work: Fact = { type: 'work.finished', at: 9e9, by: { role: 'agent' }, data: { key: '4/coder/0', durationMs: 1 } }
    const seen: Fact = { ...seenFact('4/observe/0'), by: { role: 'workspace' } } as Fact
    const check = {
      key: '4/check/0',
      name: 'tests',
      tree: 'restored',
      durationMs: 1,
      failures: [{ id: 'sum', message: 'm', kind: 'assertion' }],
    }
    const failed = { type: 'check.failed', at: 9e9, by: { role: 'check' }, data: check } as Fact
    const again = advance(definition, 'given', begun.state, [work, seen, failed])
    expect(again.state.status).toBe('escalated')
    expect(again.state.question?.trips.map((trip) => trip.guard)).toContain('maxIterations')
  })

  it('TASK-13 who raises a limit has the run judged again', () => {
    const { state } = asked()
    const guards = [maxIterations(5).spec]
    const config = { ...state.given, guards }
    const result = advance(definition, 'given', state, [
      { type: 'run.reconfigured', at: 9e9, by: { role: 'runner' }, data: { config, message: 'm' } },
    ])
    expect(result.append.map((event) => event.type)).toEqual(['run.reconfigured', 'decision.made', 'iteration.started'])
    expect(result.state.current.number).toBe(4)
  })
})

describe("what is not the agent's fault", () => {
  const start: Fact = {
    type: 'run.started',
    at: 1,
    by: { role: 'runner' },
    data: { config: { ...configOf([maxIterations(3).spec]), loop: loop.spec } },
  }
  const seen = { tree: 't', snapshot: 's', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
  const observed: Fact = { type: 'workspace.observed', at: 2, by: { role: 'workspace' }, data: { key: '0/observe/0', ...seen } }

  it('TASK-14 a check that could not run asks at once, before any money is spent, and costs no attempt', () => {
    const errored: Fact = {
      type: 'check.errored',
      at: 3,
      by: { role: 'check' },
      data: { key: '0/check/0', name: 'tests', fault: 'config', message: 'npm: not found', fix: 'Install npm.', durationMs: 1 },
    }
    const result = advance(definition, 'r', undefined, [start, observed, errored])
    expect(result.state.status).toBe('escalated')
    expect(result.state.question?.question.text).toContain('npm: not found\nInstall npm.')
    const again = advance(definition, 'r', result.state, [
      { type: 'escalation.answered', at: 4, by: { role: 'person' }, data: { choice: '1' } },
    ])
    expect(again.state.current.number).toBe(0)
  })

  it('TASK-15 a provider limit waits until it is lifted and asks for the same work again', () => {
    const failed: Fact = {
      type: 'check.failed',
      at: 3,
      by: { role: 'check' },
      data: {
        key: '0/check/0',
        name: 'tests',
        tree: 't',
        durationMs: 1,
        failures: [{ id: 'a', message: 'm', kind: 'assertion' }],
      },
    }
    const limit: Fact = {
      type: 'work.failed',
      at: 4,
      by: { role: 'agent' },
      data: { key: '1/coder/0', reason: 'failed', fault: 'provider-limit', message: 'limit', retryAt: 5000, durationMs: 1 },
    }
    const begun = advance(definition, 'r', undefined, [start, observed, failed])
    const left: Fact = { type: 'workspace.observed', at: 4, by: { role: 'workspace' }, data: { key: '1/left/0', ...seen } }
    const waiting = advance(definition, 'r', begun.state, [limit, left])
    expect(waiting.step).toEqual({ kind: 'wait', for: 'timer', until: 5000 })
    const on = advance(definition, 'r', waiting.state, [
      { type: 'timer.fired', at: 5001, by: { role: 'runner' }, data: { timer: 'provider-1-1' } },
    ])
    // A person may have edited meanwhile.
    expect(on.step).toMatchObject({ kind: 'perform', effects: [{ kind: 'observe', by: 'person' }] })
    const key = on.step.kind === 'perform' ? (on.step.effects[0]?.key ?? '') : ''
    const again = advance(definition, 'r', on.state, [{ ...seenFact(key), at: 5002 }])
    expect(again.step).toMatchObject({ kind: 'perform', effects: [{ kind: 'work', key: '1/coder/0' }] })
    expect(on.state.totals.activeMs).toBeLessThan(10)
  })

  it('TASK-16 checks that passed before and after prove nothing when nothing was changed', () => {
    const work: Fact = { type: 'work.finished', at: 4, by: { role: 'agent' }, data: { key: '1/coder/0', durationMs: 1 } }
    const same: Fact = { type: 'workspace.observed', at: 5, by: { role: 'workspace' }, data: { key: '1/observe/0', ...seen } }
    const result = advance(definition, 'r', undefined, [start, observed, passFact('0/check/0')])
    const worked = advance(definition, 'r', result.state, [work, same, passFact('1/check/0')])
    expect(worked.state.status).toBe('escalated')
    expect(worked.state.question?.question.text).toContain('Is the goal reached?')
  })

  it('TASK-17 what a person changed between two checks is checked again from the first', () => {
    const two = {
      ...configOf([maxIterations(3).spec]),
      loop: loop.spec,
      checks: ['one', 'two'].map((name) => ({ name: 'given', v: 1, settings: { name } })),
    }
    const begin: Fact = { type: 'run.started', at: 1, by: { role: 'runner' }, data: { config: two } }
    const resumed: Fact = {
      type: 'run.resumed',
      at: 5,
      by: { role: 'runner' },
      data: { holder: { pid: 1, startedAt: '', host: '' }, reason: 'again' },
    }
    const paused = advance(definition, 'r', undefined, [begin, observed, passFact('0/check/0'), resumed])
    expect(paused.step).toMatchObject({ kind: 'perform', effects: [{ kind: 'observe', by: 'person' }] })
    const key = paused.step.kind === 'perform' ? (paused.step.effects[0]?.key ?? '') : ''
    const edited = advance(definition, 'r', paused.state, [seenFact(key)])
    expect(edited.step).toMatchObject({
      kind: 'perform',
      effects: [{ kind: 'check', name: 'one', tree: 'restored', key: '0/check-5/0' }],
    })
  })

  it('TASK-18 an agent that itself fails is named in the question, and one that fails every time is the pattern', () => {
    const broken = { ...failing, agentFailed: 'Exit code 1: Invalid API key' }
    const once = when([broken], [maxIterations(1)]).state.question?.question
    expect(once?.text).toContain("\nIn the last attempt the agent didn't finish: Exit code 1: Invalid API key\n")
    const twice = when([broken, broken], [maxIterations(2)]).state.question?.question
    expect(twice?.pattern).toBe('The agent itself failed every time: Exit code 1: Invalid API key')
  })
})
