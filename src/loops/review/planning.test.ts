import { describe, expect, it } from 'vitest'
import type { Effect } from '../../core/effect.ts'
import type { Event, EventType, Fact } from '../../core/event.ts'
import { evolveAll } from '../evolve.ts'
import { planAnswer } from './planning.ts'
import type { State } from '../../core/state.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { play } from '../../../test/support/play.ts'
import { type Scenario, simulate } from '../../testing/simulation.ts'
import { provenanceOf, reviewLoop } from './index.ts'

const CHECKS = [
  { name: 'given', v: 1, settings: { name: 'tests' } },
  { name: 'given', v: 1, settings: { name: 'review', review: 'agent' } },
]

const GOOD = '{"items": [{"description": "Users can log in."}, {"description": "The docs say how.", "type": "documentation"}]}'

type Answer = string | { readonly fault: 'agent' | 'config' | 'provider-limit' }

/** Given these answers of the planner, the last of them again and again, when the loop runs, then … */
function when(...answers: readonly Answer[]) {
  const briefs: string[] = []
  const roles: string[] = []
  const respond = (effect: Effect, state: State): readonly Fact[] | undefined => {
    if (effect.kind !== 'work') return undefined
    roles.push(effect.role)
    if (effect.role !== 'planner') return undefined
    briefs.push(effect.brief)
    return planned(effect, state, answers[Math.min(briefs.length, answers.length) - 1] ?? GOOD)
  }
  const played = play({ loop: reviewLoop({ goal: 'People log in.' }), guards: [], checks: CHECKS, respond })
  return { ...played, briefs, roles }
}

function planned({ key }: Effect, state: State, answer: Answer): readonly Fact[] {
  const at = state.at + 1
  const by = { role: 'agent', name: 'thinker', model: 'm1' } as const
  if (typeof answer === 'string')
    return [
      { type: 'plan.proposed', at, by, data: { key, ...planAnswer(answer) } },
      { type: 'work.finished', at, by, data: { key, durationMs: 1, summary: 'A plan.' } },
    ]
  const data = { key, reason: 'failed', message: 'No such model.', durationMs: 1, ...answer } as const
  return [{ type: 'work.failed', at, by, data }]
}

function eventsOf<Type extends EventType>(events: readonly Event[], type: Type): readonly Event<Type>[] {
  return events.filter((event) => event.type === type) as unknown as readonly Event<Type>[]
}

const goOn: Fact = {
  type: 'escalation.answered',
  at: 0,
  by: { role: 'person' },
  data: { choice: 'continue', note: 'Two items.' },
}

describe('a planner', () => {
  it('REVIEW-93 makes the plan from the goal before the first iteration, and its items are then done', () => {
    const { events, state, roles, briefs } = when(GOOD)
    expect(roles).toEqual(['planner', 'coder:coder_a', 'coder:coder_b'])
    expect(briefs[0]).toContain('# Goal\nPeople log in.')
    expect(state.status).toBe('completed')
    expect(eventsOf(events, 'plan.made')[0]?.data.items).toEqual([
      { id: 'users-can-log-in', goal: 'Users can log in.' },
      { id: 'the-docs-say-how', goal: 'The docs say how.', settings: { type: 'documentation' } },
    ])
    expect(eventsOf(events, 'handoff.accepted')[0]?.data).toMatchObject({ contract: 'planner_to_coder', iteration: 0 })
    expect(evolveAll(undefined, events)).toEqual(state)
  })

  it('REVIEW-93 is on record like everybody: who planned, what they said, as which agent and model', () => {
    const { outputs, decisions } = provenanceOf(when('no plan', GOOD).events)
    expect(decisions.slice(0, 3).map(({ role, trigger, to }) => [role, trigger, to])).toEqual([
      ['planner', 'plan', 'planner'],
      ['planner', 'replan', 'planner'],
      ['coder', 'item_start', 'coder_a'],
    ])
    expect(outputs[0]).toMatchObject({ role: 'planner', iteration: 0, agent: 'thinker', model: 'm1', summary: 'A plan.' })
  })

  it.each([
    ['no JSON', 'I would begin with the login.', 'plan_malformed'],
    ['no items', '{"plan": []}', 'plan_malformed'],
    ['an item without a description', '{"items": [{"goal": "x"}]}', 'plan_malformed'],
    ['a type that is no text', '{"items": [{"description": "x", "type": 3}]}', 'plan_malformed'],
    ['too many items', JSON.stringify({ items: Array.from({ length: 51 }, () => ({ description: 'x' })) }), 'plan_malformed'],
    ['no item at all', '{"items": []}', 'todo_items_empty'],
    ['an empty description', '{"items": [{"description": "x"}, {"description": " "}]}', 'current_item_empty_description'],
    ['an unknown type', '{"items": [{"description": "x", "type": "design"}]}', 'invalid_task_type'],
  ])('REVIEW-94 %s is sent back once with what is wrong, and ends the run the second time', (_what, answer, rule) => {
    const { events, state, roles, briefs } = when(answer)
    expect(roles).toEqual(['planner', 'planner'])
    expect(eventsOf(events, 'handoff.refused').map(({ data }) => [data.contract, data.rule])).toEqual([
      ['planner_to_coder', rule],
      ['planner_to_coder', rule],
    ])
    const [refused] = eventsOf(events, 'handoff.refused')
    expect(briefs[1]).toContain(refused?.data.message)
    expect(state).toMatchObject({
      status: 'stopped',
      message: expect.stringMatching(`^validation_failed:planner_to_coder: [^]*\\(rule ${rule}\\)$`),
    })
  })

  it('REVIEW-94 a plan that is right the second time is taken', () => {
    const { state, roles } = when('no plan', GOOD)
    expect(roles.slice(0, 3)).toEqual(['planner', 'planner', 'coder:coder_a'])
    expect(state.status).toBe('completed')
  })

  it.each(['agent', 'config'] as const)(
    'REVIEW-95 that fails (%s) ends the run with the error, and a person can have it try again',
    (fault) => {
      const failed = when({ fault }, GOOD)
      expect(failed.roles).toEqual(['planner'])
      expect(failed.state).toMatchObject({ status: 'stopped', message: expect.stringContaining('No such model.') })
      const done = failed.on(goOn)
      expect(done.state.status).toBe('completed')
      expect(failed.briefs[1]).toContain('- Two items.')
    },
  )

  it('REVIEW-95 whose plan came to nothing is asked again, twice, when a person lets it continue', () => {
    const stopped = when('no', 'no', 'no', GOOD)
    expect(stopped.state.status).toBe('stopped')
    expect(stopped.on(goOn).state.status).toBe('completed')
    expect(stopped.roles.slice(0, 5)).toEqual(['planner', 'planner', 'planner', 'planner', 'coder:coder_a'])
  })

  it('REVIEW-96 without items and without a goal there is nothing to plan', () => {
    expect(() => reviewLoop({})).toThrow('A review needs items, or a goal')
    expect(reviewLoop({ goal: 'g' }).spec.settings).not.toHaveProperty('items')
    const again = reviewLoop(JSON.parse(JSON.stringify(reviewLoop({ goal: 'g' }).spec.settings)) as { goal: string })
    expect(again.spec).toEqual(reviewLoop({ goal: 'g' }).spec)
  })
})

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

describe('a planner that is killed', () => {
  const scenario: Scenario = {
    loop: reviewLoop({ goal: 'A shop.' }),
    guards: [],
    files: { 'README.md': 'A shop.\n' },
    work: (iteration) => [
      (files) => files.set('half-done.txt', String(iteration)),
      (files) => {
        // It writes its plan down as well, which nobody asked for.
        if (iteration === 0) files.set('PLAN.md', 'First the login.')
        else {
          files.delete('half-done.txt')
          files.set(`page-${iteration}.html`, 'x')
        }
      },
    ],
    result: (iteration) => ({
      status: 'finished',
      costUsd: 0.01,
      ...(iteration === 0 ? { output: { text: `Here it is:\n${GOOD}\n`, bytesCut: 0 } } : {}),
    }),
    check: () => ({ status: 'passed' }),
    review: () => ({ status: 'passed' }),
  }

  it('REVIEW-97 at any moment plans again or continues with its plan, and what it changed is put back', async () => {
    const whole = await simulate(scenario, makeStore, [])
    expect(whole.outcome.status).toBe('completed')
    expect([...whole.files.keys()].toSorted()).toEqual(['README.md', 'page-1.html', 'page-2.html'])
    for (let moment = 1; moment <= whole.moments; moment++) {
      const killed = await simulate(scenario, makeStore, [moment])
      expect(killed.outcome.status, `killed at moment ${moment}`).toBe('completed')
      expect([...killed.files], `killed at moment ${moment}`).toEqual([...whole.files])
      expect(provenanceOf(killed.events).decisions.map(({ to }) => to)).toEqual(['planner', 'coder_a', 'coder_b'])
      expect(killed.events.filter(({ type }) => type === 'plan.made')).toHaveLength(1)
    }
  })
})
