import { describe, expect, it } from 'vitest'
import { taskLoop } from '../task/index.ts'
import { answerFacts } from '../../engine/person-facts.ts'
import { checkFact, play, type Played } from '../../../test/support/play.ts'
import { runRecord } from '../../evidence/run-record.ts'
import type { Effect } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { Guard } from '../../core/guard.ts'
import { anyOf, circuitBreaker, customGuard, maxIterations } from '../../guards/index.ts'
import type { PartSpec } from '../../core/run-config.ts'
import type { OpenQuestion, State } from '../../core/state.ts'
import { configOf, stateAfter } from '../../testing/state-builder.ts'
import { patternOptions } from './options.ts'

const failing = (effect: Effect, state: State): readonly Fact[] | undefined =>
  effect.kind === 'check'
    ? [checkFact(effect, state, [{ id: 'sum', message: `wrong ${effect.iteration}`, kind: 'assertion' }])]
    : undefined

const codex: PartSpec = { name: 'command', v: 1, settings: { name: 'codex', command: ['codex'] } }

function stuck(guards: readonly Guard[], experts?: Readonly<Record<string, PartSpec>>): Played {
  const loop = taskLoop({ goal: 'g', baseline: false })
  return play({ loop, guards, respond: failing, ...(experts ? { config: { experts } } : {}) })
}

function choices({ state }: Played): readonly string[] {
  return (state.question?.question.options ?? []).map(({ choice }) => choice)
}

const person = { role: 'person' } as const

function answer({ state }: Played, choice: string, note?: string): Fact {
  const data = { choice, ...(note === undefined ? {} : { note }) }
  return { type: 'escalation.answered', at: 0, by: person, because: state.question?.seq ?? 0, data }
}

function dispute(guard: string, because?: number): Fact {
  return { type: 'guard.disputed', at: 0, by: person, data: { guard }, ...(because === undefined ? {} : { because }) }
}

const breaker = circuitBreaker({ failuresMax: 2 })

const failsFirst = (effect: Effect, state: State): readonly Fact[] | undefined =>
  effect.kind === 'check' && effect.iteration < 2 ? failing(effect, state) : undefined

/** Does not believe a pass. */
const doubtful = customGuard({
  name: 'mine',
  inspect: ({ current }) =>
    current.ended?.verdict.passed
      ? { message: 'Not so.', evidence: { facts: [], measures: {} }, hint: '', disputesPass: true }
      : undefined,
})

describe('what the guards let a person choose', () => {
  it.each<[string, readonly Guard[], boolean]>([
    ['a streak of failures', [breaker], true],
    ['a limit', [maxIterations(2)], false],
    ['a limit inside of anyOf', [anyOf(maxIterations(2), circuitBreaker())], false],
    ['both', [maxIterations(2), breaker], true],
    [
      'a guard of a program',
      [
        customGuard({
          name: 'mine',
          inspect: ({ current }) =>
            current.number < 2 ? undefined : { message: 'm', evidence: { facts: [], measures: {} }, hint: 'h' },
        }),
      ],
      true,
    ],
  ])('STATS-20 a false alarm can be called where a guard that is no limit decided: %s', (_name, guards, expected) => {
    const asked = stuck(guards)
    expect(choices(asked).includes('false-alarm')).toBe(expected)
    expect(choices(asked).at(-1)).toBe('abort')
  })

  it('STATS-21 the run continues once as before: the setting stays, and the next streak trips again', () => {
    const asked = stuck([breaker])
    const again = asked.on(answer(asked, 'false-alarm'), dispute('circuitBreaker', asked.state.question?.seq))
    expect(again.state.status).toBe('escalated')
    expect(again.state.current.number).toBe(4)
    expect(again.state.config.guards).toEqual(asked.state.config.guards)
    expect(again.events.filter(({ type }) => type === 'guard.tripped')).toHaveLength(2)
  })

  it('STATS-21 a dispute alone lets it go on too, and one that comes too late only counts against the guard', () => {
    const asked = stuck([breaker])
    expect(asked.on(dispute('circuitBreaker', asked.state.question?.seq)).state.current.number).toBe(4)
    const later = asked.on(dispute('circuitBreaker', 1))
    expect(later.state.question?.seq).toBe(asked.state.question?.seq)
    expect(later.state.waivers).toEqual([])
  })

  it('STATS-41 a guard that was wrong not to believe a pass: the pass is believed, and it is counted against the guard', () => {
    const asked = play({
      loop: taskLoop({ goal: 'g', baseline: false }),
      guards: [doubtful],
      respond: () => undefined,
    })
    const { question } = asked.state
    const option = question?.question.options.find(({ choice }) => choice === 'false-alarm')
    expect(option?.then).toBe('The run ends as a success. It counts as a false alarm of mine (pawl stats).')
    const facts = answerFacts('given', question as OpenQuestion, { choice: 'false-alarm' }, 0)
    expect(facts.map(({ type }) => type)).toEqual(['escalation.answered', 'guard.disputed'])
    const taken = asked.on(...facts)
    expect(taken.state).toMatchObject({ status: 'completed', current: { number: 1 } })
    expect(runRecord(taken.events)).toMatchObject({ ending: 'accepted', disputed: ['mine'], alarms: [{ judgement: 'false' }] })
  })

  it('STATS-42 a pass that is not believed is not the best state to go back to', () => {
    const asked = play({ loop: taskLoop({ goal: 'g', baseline: false }), guards: [doubtful], respond: failsFirst })
    expect(asked.state).toMatchObject({ status: 'escalated', current: { number: 2 }, best: { iteration: 1, passed: false } })
  })

  it('STATS-22 a limit that tripped with it is raised along', () => {
    const asked = stuck([maxIterations(2), breaker])
    const again = asked.on(answer(asked, 'false-alarm'), dispute('circuitBreaker', asked.state.question?.seq))
    expect(again.state.config.guards.map(({ settings }) => settings)).toEqual([{ iterationsMax: 5 }, { failuresMax: 2 }])
  })

  it('STATS-30 the expert for a guard can be put to work, and works from then on', () => {
    const asked = stuck([breaker], { circuitBreaker: codex })
    const option = asked.state.question?.question.options.find(({ choice }) => choice === 'expert')
    expect(option?.label).toBe('Continue with codex, the expert for circuitBreaker')
    const again = asked.on(answer(asked, 'expert'))
    expect(again.state.config.agent).toEqual(codex)
    expect(again.state.given.agent).not.toEqual(codex)
    expect(again.events.find(({ type }) => type === 'run.reconfigured')?.data).toMatchObject({
      message: expect.stringContaining('The agent is now codex.'),
    })
    expect(choices(again)).not.toContain('expert')
  })

  it('STATS-30 there is no such offer for another guard', () => {
    expect(choices(stuck([maxIterations(2)], { circuitBreaker: codex }))).not.toContain('expert')
    expect(choices(stuck([anyOf(maxIterations(2))], { maxIterations: codex }))).toContain('expert')
  })
})

describe('going on', () => {
  const same = { failures: ['a'], files: ['a'], tree: 'same' }
  const after = (count: number, max = 10) =>
    stateAfter(
      Array.from({ length: count }, () => same),
      configOf([maxIterations(max).spec]),
    )

  const hopeful = stateAfter([{ failures: ['a'], files: ['a'] }], configOf([maxIterations(10).spec]))

  it('ODDS-63 is not recommended where the chance to succeed is known to be below 5%', () => {
    expect(after(8).recent.some(({ isUntouched }) => isUntouched !== true)).toBe(true)
    const [hopeless, ...others] = patternOptions(after(8), undefined, [])
    expect(hopeless).toMatchObject({ choice: 'continue' })
    expect([hopeless, ...others].some((option) => option?.recommended)).toBe(false)
    expect(patternOptions(hopeful, undefined, [])[0]?.recommended).toBe(true)
    // The limits that continuing would have are the ones that count.
    const [raised] = patternOptions(after(3, 3), undefined, [
      { guard: 'maxIterations', setting: 'iterationsMax', to: 6, label: '6' },
    ])
    expect(raised?.recommended).toBeUndefined()
    // The attempts at the last of several tasks.
    const unit = { id: 'b', index: 1, count: 2, firstIteration: 1 }
    expect(patternOptions({ ...after(8), unit }, undefined, [])[0]?.recommended).toBeUndefined()
  })

  it('CLI-516 is not recommended if the agent changed nothing in any attempt, or a guard decided that says so', () => {
    expect(patternOptions(hopeful, undefined, [])[0]?.recommended).toBe(true)
    const idle = stateAfter([{ failures: ['a'], files: [] }], configOf([maxIterations(10).spec]))
    expect(patternOptions(idle, undefined, [])[0]?.recommended).toBeUndefined()
    const trip = { severity: 'trip', message: '', evidence: { facts: [], measures: {} }, hint: '' } as const
    const recommended = (guard: string, of?: readonly string[]): boolean | undefined =>
      patternOptions(hopeful, undefined, [], [{ ...trip, guard, ...(of ? { of } : {}) }])[0]?.recommended
    expect(recommended('maxIterations')).toBe(true)
    expect(recommended('circuitBreaker')).toBeUndefined()
    expect(recommended('anyOf(maxIterations, emptyIterations)', ['emptyIterations'])).toBeUndefined()
  })
})
