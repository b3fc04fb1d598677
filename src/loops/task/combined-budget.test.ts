import { expect, it } from 'vitest'
import { advance } from '../../core/advance.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import { evolve } from '../evolve.ts'
import type { Guard } from '../../core/guard.ts'
import { anyOf, budget, guardFrom, maxIterations } from '../../guards/index.ts'
import type { State } from '../../core/state.ts'
import { configOf, journalOf } from '../../testing/state-builder.ts'
import { taskLoop } from './index.ts'

const loop = taskLoop({ goal: 'g' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })

it.each([
  ['a budget in anyOf stops the run as it does alone', anyOf(maxIterations(9), budget({ costUsdMax: 2 })), 'stopped'],
  ['another guard beside it still asks', anyOf(maxIterations(1), budget({ costUsdMax: 9 })), 'escalated'],
])('GUARD-221 %s', (_name, guard: Guard, status) => {
  const config = { ...configOf([guard.spec]), loop: loop.spec }
  const given = journalOf([{ failures: ['a'], costUsd: 3 }], config).reduce<State | undefined>(evolve, undefined)
  expect(advance(definition, 'given', given, []).state.status).toBe(status)
})

it('GUARD-220 the time that a budget in anyOf leaves is the deadline of the work', () => {
  const config = { ...configOf([anyOf(maxIterations(9), budget({ durationMsMax: 600_000 })).spec]), loop: loop.spec }
  const given = journalOf([{ failures: ['a'] }], config).reduce<State | undefined>(evolve, undefined)
  const { step } = advance(definition, 'given', given, [])
  expect(step).toMatchObject({ kind: 'perform', effects: [{ kind: 'work', deadlineMs: expect.any(Number) }] })
})
