import { describe, expect, it } from 'vitest'
import type { Event, Fact } from '../core/event.ts'
import { circuitBreaker, maxIterations } from '../guards/index.ts'
import { playedRun, STARTED_AT } from '../../test/support/view-fixture.ts'
import { runView } from './run-view.ts'

/** More events at the end of a journal, as another writer would append them. */
function withMore(events: readonly Event[], ...facts: readonly Fact[]): readonly Event[] {
  return [
    ...events,
    ...facts.map((fact, index) => ({ ...fact, seq: events.length + 1 + index, run: 'fix-login', v: 1 }) as Event),
  ]
}

describe('the view of a run', () => {
  it('CLI-210 has the goal, the status, the totals and what the run is made of', () => {
    const view = runView(playedRun({ failing: [3, 2, 0] }))
    expect(view).toMatchObject({
      run: 'fix-login',
      loop: 'task',
      goal: 'Login returns a numeric userId',
      status: 'completed',
      iterationsDone: 2,
    })
    expect(view.startedAt).toBe(STARTED_AT)
    expect(view.totals).toMatchObject({ costUsd: 0.1, tokens: 1000 })
    expect(view.config).toEqual({
      agent: 'claude: claude -p',
      checks: ['tests: npm test'],
      guards: ['maxIterations(iterationsMax 3)'],
      workspace: 'git /project',
    })
    expect(view.question).toBeUndefined()
  })

  it('CLI-211 has one row an iteration: failing before and after, files, time, cost, what the agent said, both snapshots', () => {
    const { iterations, start } = runView(playedRun({ failing: [3, 2, 0], said: 'Did it.' }))
    expect(start).toEqual({ snapshot: 'refs/pawl/fix-login/0', verdict: { passed: false, score: 0.7, failing: 3 } })
    expect(iterations.map(({ failingBefore, verdict, action }) => [failingBefore, verdict?.failing, action])).toEqual([
      [3, 2, 'retry'],
      [2, 0, 'proceed'],
    ])
    expect(iterations[1]).toMatchObject({
      iteration: 2,
      filesChanged: 2,
      costUsd: 0.05,
      said: 'Did it.',
      snapshotBefore: 'refs/pawl/fix-login/1',
      snapshot: 'refs/pawl/fix-login/2',
    })
  })

  it('CLI-212 gives the last decision with the trips it rests on and the seq of each fact', () => {
    const events = playedRun({ failing: [2, 2, 2, 2], guards: [maxIterations(3), circuitBreaker({ failuresMax: 3 })] })
    const decision = runView(events).decisions.at(-1)
    expect(decision).toMatchObject({ action: 'escalate', iteration: 3 })
    expect(decision?.trips.map(({ guard, isWaived }) => [guard, isWaived])).toEqual([
      ['maxIterations', false],
      ['circuitBreaker', false],
    ])
    for (const trip of decision?.trips ?? []) expect(events[trip.seq - 1]?.type).toBe('guard.tripped')
    for (const seq of decision?.basis ?? []) expect(events[seq - 1]?.type).toMatch(/^(check\.failed|iteration\.ended)$/)
  })

  it('CLI-213 an open question has numbered options, each with the command that answers it', () => {
    const { question, best } = runView(playedRun({ failing: [3, 1, 2, 2] }))
    expect(question?.options[0]?.then).toContain('up to 6 iterations')
    expect(question?.options[0]).toMatchObject({
      number: 1,
      choice: 'continue',
      label: 'Continue, with up to 6 iterations',
      recommended: true,
      command: 'pawl answer fix-login 1',
    })
    expect(question?.answer).toBeUndefined()
    expect(best).toMatchObject({ iteration: 1, failing: 1, command: 'pawl restore fix-login 1' })
  })

  it('CLI-213 an answer is kept with its question, by whom and with which note', () => {
    const view = runView(playedRun({ failing: [3, 2, 2, 2, 0], answers: [{ choice: 'continue', note: 'It is an integer.' }] }))
    expect(view.status).toBe('completed')
    expect(view.question).toBeUndefined()
    expect(view.asked).toHaveLength(1)
    expect(view.asked[0]?.answer).toMatchObject({ choice: 'continue', by: 'ada', note: 'It is an integer.' })
    expect(view.people).toMatchObject([
      { by: 'ada', what: 'answered: Continue, with up to 6 iterations', note: 'It is an integer.' },
    ])
  })

  it('CLI-213 an answer the question does not have leaves it open', () => {
    const events = playedRun({ failing: [3, 2, 2, 2] })
    const { question, people } = runView(
      withMore(events, { type: 'escalation.answered', at: STARTED_AT, by: { role: 'person' }, data: { choice: 'what?' } }),
    )
    expect(question?.answer).toBeUndefined()
    expect(people.at(-1)?.what).toContain("isn't an option")
  })

  it('CLI-214 work that was cut short shows as under way, and what was saved before it was undone can be got back', () => {
    const whole = playedRun({ failing: [3, 2] })
    const half = whole.slice(0, whole.findIndex((event) => event.type === 'work.started') + 1)
    const started = half.at(-1)
    const key = '1/coder/0'
    expect(runView(half).underWay).toMatchObject([{ key, kind: 'work', since: started?.at }])
    const view = runView(
      withMore(
        half,
        {
          type: 'run.resumed',
          at: STARTED_AT + 9000,
          by: { role: 'runner' },
          data: { holder: { pid: 7, startedAt: 'x', host: 'h' }, reason: 'Goes on.' },
        },
        { type: 'work.abandoned', at: STARTED_AT + 9000, by: { role: 'runner' }, data: { key, reason: 'gone' } },
        {
          type: 'workspace.restored',
          at: STARTED_AT + 9000,
          by: { role: 'workspace' },
          data: { key: '1/restore/9', tree: 't', savedAs: 'refs/pawl/fix-login/saved-1' },
        },
      ),
    )
    expect(view.underWay).toEqual([])
    expect(view.saved).toMatchObject([{ snapshot: 'refs/pawl/fix-login/saved-1', command: 'pawl restore fix-login saved-1' }])
  })

  it('CLI-215 a trip that a person had waived is marked', () => {
    const before = playedRun({ failing: [3, 2], factsMax: 3 })
    const waived = withMore(before, {
      type: 'guard.waived',
      at: STARTED_AT,
      by: { role: 'person' },
      data: { guard: 'maxIterations' },
    })
    const tripped = playedRun({ failing: [3, 2, 2, 2] }).find((event) => event.type === 'guard.tripped')
    const decision = playedRun({ failing: [3, 2, 2, 2] }).find((event) => event.type === 'decision.made')
    const view = runView(withMore(waived, tripped as Fact, decision as Fact))
    expect(view.decisions.at(-1)?.trips).toMatchObject([{ guard: 'maxIterations', isWaived: true }])
  })

  it('CLI-216 is plain data: JSON gives it back unchanged', () => {
    const view = runView(playedRun({ failing: [3, 2, 2, 2] }))
    expect(JSON.parse(JSON.stringify(view))).toEqual(view)
  })

  it('CLI-210 refuses a journal without events', () => {
    expect(() => runView([])).toThrow(expect.objectContaining({ code: 'run.unknown' }))
  })
})
