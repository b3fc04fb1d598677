import { describe, expect, it } from 'vitest'
import { advance } from './advance.ts'
import { memoizedDefinition } from './definition.ts'
import type { Fact } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import { guardFrom, maxIterations } from '../guards/index.ts'
import type { State } from './state.ts'
import { taskLoop } from '../loops/task/index.ts'
import { configOf, journalOf } from '../testing/state-builder.ts'

const loop = taskLoop({ goal: 'g' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })

const atWork = (): State => {
  const config = { ...configOf([maxIterations(9).spec]), loop: loop.spec }
  const given = journalOf([{ failures: ['a'] }], config).reduce<State | undefined>(evolve, undefined)
  return advance(definition, 'given', given, []).state
}

const brief = { sha256: '', bytes: 0 }
const key = '2/coder/0'
const start: Fact = { type: 'work.started', at: 1e6, by: { role: 'agent' }, data: { key, iteration: 2, role: 'coder', brief } }
const abandon = (reason: string): Fact => ({ type: 'work.abandoned', at: 1e6, by: { role: 'runner' }, data: { key, reason } })
const restored: Fact = { type: 'workspace.restored', at: 1e6, by: { role: 'workspace' }, data: { key: '2/restore/0', tree: 't' } }

/** The runner dies over the same work so many times. */
function died(state: State, times: number, reason = 'its runner was gone'): State {
  let now = state
  for (let time = 0; time < times; time++) now = advance(definition, 'given', now, [start, abandon(reason), restored]).state
  return now
}

describe('a runner that dies again and again over the same work', () => {
  it('CORE-220 tries four times more; after the fifth death a person is asked, and may let it continue', () => {
    expect(died(atWork(), 4).status).toBe('running')
    const asking = died(atWork(), 5)
    expect(asking).toMatchObject({
      status: 'escalated',
      question: { question: { text: expect.stringContaining('died 5 times') } },
    })
    const answer: Fact = { type: 'escalation.answered', at: 1e6, by: { role: 'person' }, data: { choice: '1' } }
    const goingOn = advance(definition, 'given', asking, [answer]).state
    expect(goingOn.status).toBe('running')
    expect(died(goingOn, 4).status).toBe('running')
    expect(died(goingOn, 5).status).toBe('escalated')
  })

  it('CORE-220 does not count work that was interrupted on purpose', () => {
    expect(died(atWork(), 8, 'interrupted').status).toBe('running')
  })
})
