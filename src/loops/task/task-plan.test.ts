import { describe, expect, it } from 'vitest'
import type { Event, Fact } from '../../core/event.ts'
import { budget, maxIterations } from '../../guards/index.ts'
import { checkFact, play, type Play } from '../../../test/support/play.ts'
import { taskLoop } from './index.ts'

const wrong = [{ id: 'sum', message: 'wrong', kind: 'assertion' }] as const
const tasks = [
  { id: 'one', goal: 'First' },
  { id: 'two', goal: 'Second', iterationsMax: 1 },
  { id: 'three', goal: 'Third' },
]

/** Checks fail in these iterations. */
function failingIn(...iterations: readonly number[]): Pick<Play, 'respond'> {
  return {
    respond: (effect, state) =>
      effect.kind === 'check' && iterations.includes(effect.iteration) ? [checkFact(effect, state, wrong)] : undefined,
  }
}

function answer(choice: string, note?: string): Fact {
  const data = { choice, ...(note === undefined ? {} : { note }) }
  return { type: 'escalation.answered', at: 0, by: { role: 'person' }, data }
}

const types = (events: readonly Event[]) => events.map((event) => event.type)
const goalOf = (events: readonly Event[]) =>
  events.filter((event) => event.type === 'item.started').map((event) => event.data.item)

describe('several tasks', () => {
  const loop = taskLoop({ goal: 'All of it', tasks })

  it('TASK-20 are done in order, each as a loop of its own, and the run is completed with the last', () => {
    const { events, step } = play({ loop, guards: [maxIterations(3)] })
    expect(goalOf(events)).toEqual(['one', 'two', 'three'])
    expect(
      types(events).filter((type) => type.startsWith('item') || type.startsWith('plan') || type === 'run.completed'),
    ).toEqual([
      'plan.made',
      'item.started',
      'item.finished',
      'item.started',
      'item.finished',
      'item.started',
      'item.finished',
      'run.completed',
    ])
    expect(step).toMatchObject({ kind: 'end', outcome: { status: 'completed', iterations: 3 } })
  })

  it('TASK-21 count their attempts from their own start, with their own maximum where they have one', () => {
    const first = play({ loop, guards: [maxIterations(3)], ...failingIn(0, 1, 2, 4) })
    // Two failures in the first task are within its three; one failure ends the second, which has a maximum of its own.
    expect(first.state.status).toBe('escalated')
    expect(first.state.unit).toMatchObject({ index: 1, firstIteration: 4 })
    expect(first.state.question?.trips[0]?.message).toBe('1 iteration done, and the maximum is 1.')
    expect(first.state.question?.question.attempts).toHaveLength(1)
  })

  it('TASK-22 pause at a question: to go on raises the limit of this task only', () => {
    const asked = play({ loop, guards: [maxIterations(3)], ...failingIn(0, 2) })
    const on = asked.on(answer('continue', 'Try again'))
    expect(on.state.status).toBe('completed')
    const raised = on.events.find((event) => event.type === 'run.reconfigured')
    expect(raised?.data.config.guards[0]?.settings).toEqual({ iterationsMax: 4 })
    expect(on.state.config.guards[0]?.settings).toEqual({ iterationsMax: 3 })
  })

  it('TASK-23 one that a person accepts as it is leads to the next; to abort ends them all', () => {
    const asked = play({ loop, guards: [maxIterations(3)], ...failingIn(0, 2) })
    const accepted = asked.on(answer('accept'))
    expect(accepted.state.status).toBe('completed')
    expect(types(accepted.events).filter((type) => type === 'item.finished')).toHaveLength(3)
    expect(asked.on(answer('abort')).state.status).toBe('aborted')
  })

  it('TASK-24 share the budgets of the run', () => {
    const { state } = play({
      loop,
      guards: [maxIterations(3), budget({ costUsdMax: 0.25 })],
      respond: (effect, now) => {
        if (effect.kind === 'work')
          return [
            {
              type: 'work.finished',
              at: now.at + 1,
              by: { role: 'agent' },
              data: { key: effect.key, durationMs: 1, costUsd: 0.1 },
            },
          ]
        return failingIn(0, 1, 2, 3).respond?.(effect, now)
      },
    })
    expect(state).toMatchObject({ status: 'stopped', totals: { costUsd: 0.3 } })
  })

  it('TASK-25 tell the agent which of them is under way', () => {
    const briefs: string[] = []
    play({
      loop,
      guards: [maxIterations(3)],
      respond: (effect) => {
        if (effect.kind === 'work') briefs.push(effect.brief)
        return undefined
      },
    })
    expect(briefs).toHaveLength(3)
    expect(briefs[1]).toContain('Second')
    expect(briefs[1]).not.toContain('First\n')
  })

  it('TASK-26 must have names of their own and goals', () => {
    expect(() =>
      taskLoop({
        goal: 'g',
        tasks: [
          { id: 'a', goal: 'x' },
          { id: 'a', goal: 'y' },
        ],
      }),
    ).toThrow('Two tasks are called "a"')
    expect(() => taskLoop({ goal: 'g', tasks: [{ id: 'a', goal: ' ' }] })).toThrow('taskLoop: tasks[0].goal must be a sentence')
    expect(() => taskLoop({ goal: 'g', tasks: [{ id: 'a', goal: 'x', iterationsMax: 0 }] })).toThrow('iterationsMax')
  })
})

describe('the settings of one task or of all', () => {
  it('TASK-27 an automatic retry that is switched off asks instead', () => {
    const all = play({
      loop: taskLoop({ goal: 'g', autoRetryOnTestFail: false }),
      guards: [maxIterations(3)],
      ...failingIn(0, 1),
    })
    expect(all.state).toMatchObject({ status: 'escalated', current: { number: 1 } })
    expect(all.state.message).toContain('auto_retry_on_test_fail is off')
    const one = taskLoop({
      goal: 'g',
      tasks: [
        { id: 'a', goal: 'x' },
        { id: 'b', goal: 'y', autoRetryOnTestFail: false },
      ],
    })
    const { state } = play({ loop: one, guards: [maxIterations(3)], ...failingIn(0, 1, 3) })
    expect(state).toMatchObject({ status: 'escalated', slices: { plan: { index: 1 } }, current: { number: 3 } })
  })
})

describe('another configuration in the middle of a plan', () => {
  it('TASK-28 leaves the maximum of the task under way to that task, and the run’s to the others', () => {
    const loop = taskLoop({ goal: 'All of it', tasks })
    const asked = play({ loop, guards: [maxIterations(3)], ...failingIn(0, 2) })
    expect(asked.state.config.guards[0]?.settings).toEqual({ iterationsMax: 1 })
    const config = { ...asked.state.given, agent: { name: 'other', v: 1, settings: {} } }
    const on = asked.on({ type: 'run.reconfigured', at: 0, by: { role: 'runner' }, data: { config, message: 'm' } })
    expect(on.state).toMatchObject({ status: 'escalated', config: { agent: { name: 'other' } } })
    expect(on.state.config.guards[0]?.settings).toEqual({ iterationsMax: 1 })
    expect(on.on(answer('accept')).state.config.guards[0]?.settings).toEqual({ iterationsMax: 3 })
  })
})

const failing = (...ids: readonly string[]) => ids.map((id) => ({ id, message: 'wrong', kind: 'assertion' }) as const)

describe('tests of later tasks', () => {
  const loop = taskLoop({ goal: 'All of it', tasks: tasks.slice(0, 2).map(({ id, goal }) => ({ id, goal })) })
  /** What fails in each iteration, from 0. */
  const playing = (...rounds: readonly (readonly string[])[]) =>
    play({
      loop,
      guards: [maxIterations(2)],
      respond: (effect, state) => {
        if (effect.kind !== 'check') return undefined
        const failures = failing(...(rounds[effect.iteration] ?? []))
        const fact = checkFact(effect, state, failures)
        const counts = { passed: 3 - failures.length, failed: failures.length, skipped: 0 }
        return [{ ...fact, data: { ...fact.data, counts } } as Fact]
      },
    })

  it('TASK-29 do not block a task that turned one of them', () => {
    const { events, step } = playing(['a', 'b'], ['b'], [])
    expect(goalOf(events)).toEqual(['one', 'two'])
    expect(step).toMatchObject({ kind: 'end', outcome: { status: 'completed', iterations: 2 } })
    expect(events.find((event) => event.type === 'item.finished')?.data).toMatchObject({
      message: expect.stringContaining('later tasks: "b"'),
    })
  })

  it.each([
    [
      'nothing turned',
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    ],
    [
      'another test broke',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
    ],
  ])('TASK-29 block it if %s', (_why, rounds) => {
    expect(goalOf(playing(...rounds).events.filter(({ seq }) => seq < 12))).toEqual(['one'])
  })

  it('TASK-29 block the last task', () => {
    const { state } = playing(['a', 'b'], ['b'], ['b'], ['b'])
    expect(state).toMatchObject({ status: 'escalated', unit: { index: 1 } })
  })
})
