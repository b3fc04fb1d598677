import { expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import type { Event } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import type { State } from './state.ts'

it('GUARD-237 what a person let pass was for the task before: the next begins without waivers, allowances and open suspicions', () => {
  const before = stateAfter([{ failures: [], tests: 5 }])
  const items = ['one', 'two'].map((id) => ({ id, goal: id }))
  const state: State = {
    ...before,
    slices: { plan: { items, index: 0 } },
    waivers: ['tampering'],
    allowances: [{ guard: 'tampering', kinds: ['weakened'] }],
    openSuspicions: [{ kind: 'skipped', file: 'a.test.ts', text: 'x' }],
  }
  const next = evolve(state, { ...header(state), type: 'item.started', data: { index: 1, item: 'two' } } as unknown as Event)
  expect(next.waivers).toEqual([])
  expect(next).not.toHaveProperty('allowances')
  expect(next).not.toHaveProperty('openSuspicions')
  expect(next.measures.ledger.checks['tests']?.start).toEqual({ passed: 5, failed: 0, skipped: 0 })
})

it('GUARD-237 waiving the guard or calling it wrong accepts what is there', () => {
  const state: State = { ...stateAfter([{ failures: ['a'] }]), openSuspicions: [{ kind: 'skipped', file: 'a', text: 'x' }] }
  const waived = evolve({ ...state, waivers: ['tampering'] }, {
    ...header(state),
    type: 'guard.tripped',
    data: { guard: 'tampering', severity: 'trip', message: '', evidence: { facts: [], measures: {} }, hint: '' },
  } as unknown as Event)
  expect(waived).toMatchObject({ waivers: [], openSuspicions: [] })
})

function header({ seq, at }: State) {
  return { seq: seq + 1, run: 'given', v: 1, at, by: { role: 'loop' } }
}
