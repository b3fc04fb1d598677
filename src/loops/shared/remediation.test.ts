import { describe, expect, it } from 'vitest'
import { stateAfter } from '../../testing/state-builder.ts'
import { defaultGuards, tampering } from '../../guards/index.ts'
import { sentence } from '../../core/saying.ts'
import { remediation } from './questions.ts'
import { SHARED_WORDS } from './words.ts'
import type { Trip } from '../../core/trip.ts'

function tripOf(guard: string): Trip {
  return { guard, severity: 'trip', message: 'm', evidence: { facts: [], measures: {} }, hint: `The hint of ${guard}.` }
}

const worse = stateAfter([
  { failures: ['a'], tests: 10 },
  { failures: ['a', 'b', 'c'], tests: 10 },
])

function stepsAgainst(...given: Parameters<typeof remediation>): readonly (string | undefined)[] {
  return remediation(...given).map((step) => sentence(SHARED_WORDS, step))
}

describe('steps against what stopped a run', () => {
  it('STATS-25 begin with the best verified state, with the command that brings it back', () => {
    expect(stepsAgainst(worse, [])).toEqual(['Go back to iteration 1, the best verified state: pawl restore given 1'])
    const same = stateAfter([
      { failures: ['a'], tests: 10 },
      { failures: ['a'], tests: 10 },
    ])
    expect(stepsAgainst(same, [])[0]).toContain('start over: pawl restore given 0')
    const reached = stateAfter([
      { failures: ['a', 'b'], tests: 10 },
      { failures: ['a'], tests: 10 },
      { failures: ['a'], tests: 10 },
    ])
    expect(stepsAgainst(reached, [])[0]).toContain(
      'Go back to iteration 2, the best verified state, unless you want to keep what came after it',
    )
    expect(stepsAgainst(stateAfter([{ failures: ['a'] }]), [])).toEqual([])
  })

  it('STATS-26 every guard of ours has a step of its own; others show their hint', () => {
    for (const { spec } of [...defaultGuards(), tampering()]) {
      const [step] = stepsAgainst(stateAfter([{ failures: ['a'] }]), [tripOf(spec.name)])
      expect(step).not.toBe(`The hint of ${spec.name}.`)
    }
    expect(stepsAgainst(stateAfter([{ failures: ['a'] }]), [tripOf('mine')])).toEqual(['The hint of mine.'])
  })

  it('STATS-26 a combined guard has the steps of its parts, each once, and never more than four in all', () => {
    const steps = stepsAgainst(worse, [tripOf('allOf(sameFailure, stalledDiff)'), tripOf('sameFailure')])
    expect(steps).toHaveLength(3)
    const many = ['sameFailure', 'stalledDiff', 'thrashing', 'noProgress', 'budget'].map(tripOf)
    expect(stepsAgainst(worse, many)).toHaveLength(4)
  })
})
