import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { customGuard } from './custom.ts'

const wide = customGuard({
  name: 'wide',
  severity: 'warn',
  inspect: ({ current }) => {
    const failing = current.ended?.verdict.failing ?? 0
    if (failing < 2) return undefined
    return { message: `${failing} fail`, evidence: { facts: [current.ended?.seq ?? 0], measures: { failing } }, hint: 'Fewer.' }
  },
})

describe('customGuard', () => {
  it('GUARD-14 says what its function says, under its own name and severity', () => {
    expect(wide.inspect(stateAfter([{ failures: ['a'] }]))).toEqual([])
    const state = stateAfter([{ failures: ['a', 'b'] }])
    const evidence = { facts: [state.current.ended?.seq], measures: { failing: 2 } }
    expect(wide.inspect(state)).toEqual([{ guard: 'wide', severity: 'warn', message: '2 fail', evidence, hint: 'Fewer.' }])
  })

  it('GUARD-14 decides by default, and its data says that it belongs to a program', () => {
    const guard = customGuard({ name: 'mine', inspect: () => undefined })
    expect(guard.spec).toEqual({ name: 'custom', v: 1, severity: 'trip', settings: { name: 'mine' } })
  })
})
