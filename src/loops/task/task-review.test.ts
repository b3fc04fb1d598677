import { describe, expect, it } from 'vitest'
import type { Event, Fact } from '../../core/event.ts'
import { maxIterations, tampering } from '../../guards/index.ts'
import { checkFact, play, type Play } from '../../../test/support/play.ts'
import { taskLoop } from './index.ts'

const loop = taskLoop({ goal: 'The sum is right' })
const tests = { name: 'given', v: 1, settings: { name: 'tests' } }
const byAgent = { name: 'agent-review', v: 1, settings: { name: 'review', review: 'agent' } }
const byPerson = { name: 'person-review', v: 1, settings: { name: 'review', review: 'person' } }
const wrong = [{ id: 'sum', message: 'wrong', kind: 'assertion' }] as const
const note = [{ id: 'review: sum', message: 'Use integers', kind: 'review', severity: 'major' }] as const

/** The tests fail before any work and in the given iterations; the reviewer rejects in the others given. */
function game(checks: Play['checks'], failing: readonly number[], rejecting: readonly number[] = []): Play {
  return {
    loop,
    guards: [maxIterations(3)],
    ...(checks ? { checks } : {}),
    respond: (effect, state) => {
      if (effect.kind !== 'check') return undefined
      if (effect.review) return [checkFact(effect, state, rejecting.includes(effect.iteration) ? note : [])]
      return [checkFact(effect, state, failing.includes(effect.iteration) ? wrong : [])]
    },
  }
}

function answer(choice: string, said?: string): Fact {
  const data = { choice, ...(said === undefined ? {} : { note: said }) }
  return { type: 'escalation.answered', at: 0, by: { role: 'person' }, data }
}

const types = (events: readonly Event[]) => events.map((event) => event.type)
const actions = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'decision.made' ? [event.data.action] : []))

describe('a review', () => {
  it('TASK-30 is asked for only when every other check passes, and its approval is a success', () => {
    const { events, state } = play(game([byAgent, tests], [0, 1]))
    expect(actions(events)).toEqual(['retry', 'proceed'])
    expect(types(events).filter((type) => type.startsWith('review'))).toEqual(['review.approved'])
    expect(state.status).toBe('completed')
  })

  it('TASK-31 that rejects leads to another try, whose brief says why', () => {
    const briefs: string[] = []
    const { respond, ...rest } = game([tests, byAgent], [0], [1])
    const { events } = play({
      ...rest,
      respond: (effect, state) => {
        if (effect.kind === 'work') briefs.push(effect.brief)
        return respond?.(effect, state)
      },
    })
    expect(actions(events)).toEqual(['retry', 'proceed'])
    expect(briefs[1]).toContain('Use integers')
  })

  it('TASK-32 that rejects is no retry where that is switched off', () => {
    const strict = taskLoop({ goal: 'g', autoRetryOnReviewReject: false })
    const { state } = play({ ...game([tests, byAgent], [0], [1]), loop: strict })
    expect(state).toMatchObject({ status: 'escalated', current: { number: 1 } })
    expect(state.message).toContain('auto_retry_on_review_reject is off')
  })

  it('TASK-33 by a person is waited for, at the maximum too, and counts no time', () => {
    const { events, state, step } = play({ ...game([tests, byPerson], [0]), guards: [maxIterations(1)] })
    expect(actions(events)).toEqual(['wait'])
    expect(step).toEqual({ kind: 'wait', for: 'person' })
    expect(state.question?.question.options.map((option) => option.choice)).toEqual(['approve', 'reject', 'abort'])
    expect(types(events)).not.toContain('iteration.ended')
  })

  it('TASK-34 by a person who approves completes the run, on the tree that was shown', () => {
    const waiting = play(game([tests, byPerson], [0]))
    const done = waiting.on(answer('approve'))
    expect(done.state.status).toBe('completed')
    expect(done.events.find((event) => event.type === 'review.approved')).toMatchObject({
      by: { role: 'person' },
      data: { tree: 'tree-1', name: 'review' },
    })
    expect(actions(done.events)).toEqual(['wait', 'proceed'])
  })

  it('TASK-35 by a person who rejects tells the agent their words', () => {
    const waiting = play(game([tests, byPerson], [0]))
    const again = waiting.on(answer('reject', 'The name is wrong'))
    expect(actions(again.events)).toEqual(['wait', 'retry', 'wait'])
    expect(again.state.recent[0]?.failures).toMatchObject([{ kind: 'review', message: 'The name is wrong' }])
  })

  it('TASK-36 of what a person changed while reviewing is asked for again, after the checks', () => {
    const { respond, ...rest } = game([tests, byPerson], [0])
    const edited: Play = {
      ...rest,
      respond: (effect, state) => {
        if (effect.kind !== 'observe' || effect.by !== 'person') return respond?.(effect, state)
        const data = { key: effect.key, tree: 'edited', snapshot: 's', files: [], filesChanged: 1, insertions: 1, deletions: 0 }
        return [{ type: 'workspace.observed', at: state.at + 1, by: { role: 'person' }, data }]
      },
    }
    const again = play(edited).on(answer('approve'))
    expect(again.state.status).toBe('escalated')
    expect(again.state.current.checks.map((check) => [check.name, check.tree])).toEqual([['tests', 'edited']])
  })
})

describe('a questioner', () => {
  it('TASK-40 puts the question into words before it is asked, and its words are used', () => {
    const asked = play({ ...game([tests], [0, 1, 2, 3]), config: { questioner: { name: 'given', v: 1, settings: {} } } })
    expect(asked.state.question?.question.text).toBe('In better words?')
    expect(asked.state.question?.question.options.length).toBeGreaterThan(1)
  })

  it('TASK-41 that fails changes nothing: the question is asked as it stands', () => {
    const { respond, ...rest } = game([tests], [0, 1, 2, 3])
    const asked = play({
      ...rest,
      config: { questioner: { name: 'given', v: 1, settings: {} } },
      respond: (effect, state) =>
        effect.kind === 'phrase'
          ? [{ type: 'question.phrased', at: state.at + 1, by: { role: 'agent' }, data: { key: effect.key, trouble: 'no' } }]
          : respond?.(effect, state),
    })
    expect(asked.state.status).toBe('escalated')
    expect(asked.state.question?.question.text).toContain('sum')
  })
})

describe('an agent that could not do its work', () => {
  it('TASK-45 has what it left on record as its own before a person is asked, and the next look adds to it', () => {
    const { respond, ...rest } = game([tests], [0])
    let tries = 0
    const problem = play({
      ...rest,
      respond: (effect, state) => {
        if (effect.kind !== 'work' || tries++ > 0) return respond?.(effect, state)
        const data = { key: effect.key, reason: 'failed', fault: 'environment', message: 'no network', durationMs: 1 } as const
        return [{ type: 'work.failed', at: state.at + 1, by: { role: 'agent' }, data }]
      },
    })
    expect(problem.state.status).toBe('escalated')
    expect(types(problem.events).slice(-4)).toEqual(['work.failed', 'workspace.observed', 'decision.made', 'escalation.raised'])
    const looked = problem.events.findLast((event) => event.type === 'workspace.observed')
    expect(looked).toMatchObject({ by: { role: 'workspace' }, data: { key: expect.stringContaining('1/left/') } })
    expect(problem.on(answer('continue')).state.status).toBe('completed')
  })
})

describe('an answer that asks for a change of a test', () => {
  it.each([
    ['completed', 'weakened', 'a.test.ts'],
    ['escalated', 'deleted', 'a.test.ts'],
    ['escalated', 'weakened', 'package.json'],
  ] as const)('TASK-46 GUARD-234 lets this test be changed and nothing else: %s after %s in %s', (status, kind, file) => {
    const pair = { id: 'id', message: 'not equal', kind: 'assertion', expected: '123', received: "'123'" } as const
    let isMended = false
    const suspicious = { kind, file, text: 'expect(id).toBe("123")' } as const
    const asked = play({
      loop,
      guards: [maxIterations(1), tampering()],
      respond: (effect, state) => {
        if (effect.kind === 'check') return [checkFact(effect, state, isMended ? [] : [pair])]
        if (effect.kind !== 'observe' || effect.by !== 'agent' || !isMended) return undefined
        const change = {
          files: [{ path: file, change: 'modified' as const }],
          filesChanged: 1,
          insertions: 1,
          deletions: 1,
        }
        const data = { key: effect.key, tree: 'edited', snapshot: 's', ...change, suspicions: [suspicious] }
        return [{ type: 'workspace.observed', at: state.at + 1, by: { role: 'workspace' }, data }]
      },
    })
    expect(asked.state.question?.question.options.map((option) => option.choice)).toContain('change-test')
    isMended = true
    expect(asked.on(answer('continue-not')).state.status).toBe('escalated')
    expect(asked.on(answer('change-test')).state.status).toBe(status)
    expect(asked.on(answer('change-code')).state.status).toBe('escalated')
  })
})

describe('a reviewer that was cut short', () => {
  it('TASK-37 has its edits undone before anything else: nobody can say whose they are', () => {
    const reviewing = play({
      ...game([tests, byAgent], [0]),
      respond: (effect, state) => {
        if (effect.kind !== 'check' || !effect.review || state.current.effects.some((each) => each.kind === 'restore'))
          return game([tests, byAgent], [0]).respond?.(effect, state)
        const process = { pid: 1, startedAt: '', host: '' }
        const begun = { key: effect.key, name: effect.name, process, isReview: true as const }
        return [
          { type: 'check.started', at: state.at + 1, by: { role: 'check' }, data: begun },
          { type: 'run.resumed', at: state.at + 2, by: { role: 'runner' }, data: { holder: process, reason: 'again' } },
        ]
      },
    })
    expect(types(reviewing.events).filter((type) => type.startsWith('workspace.restored') || type === 'review.approved')).toEqual(
      ['workspace.restored', 'review.approved'],
    )
    expect(reviewing.state.status).toBe('completed')
  })

  it('TASK-38 a person’s rejection is in the brief until the task is done', () => {
    const briefs: string[] = []
    const { respond, ...rest } = game([tests, byPerson], [0, 2])
    const waiting = play({
      ...rest,
      respond: (effect, state) => {
        if (effect.kind === 'work') briefs.push(effect.brief)
        return respond?.(effect, state)
      },
    })
    waiting.on(answer('reject', 'The name is wrong'))
    expect(briefs).toHaveLength(3)
    expect(briefs[2]).toContain('The name is wrong')
  })
})

describe('a person with words of their own', () => {
  it('TASK-47 is heard as they said it: no option’s guidance is put into their mouth', () => {
    const pair = { id: 'id', message: 'not equal', kind: 'assertion', expected: '123', received: "'123'" } as const
    const briefs: string[] = []
    const asked = play({
      loop,
      guards: [maxIterations(1)],
      respond: (effect, state) => {
        if (effect.kind === 'work') briefs.push(effect.brief)
        return effect.kind === 'check' ? [checkFact(effect, state, [pair])] : undefined
      },
    })
    const on = asked.on(answer('words', 'Ids are texts'))
    expect(on.state.config.guards[0]?.settings).toEqual({ iterationsMax: 4 })
    expect(briefs[1]).toContain('# A person said\n- Ids are texts\n')
    expect(briefs[1]).not.toContain('the test is right: change the code')
  })
})
