import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { deadline, defaultGuards, guardFrom, ladder, oscillation, stalledDiff, thrashing } from './index.ts'

describe('guardFrom', () => {
  const call = { name: 'bash', input: 'i', result: 'r' }
  const state = stateAfter(
    Array.from({ length: 9 }, (_, index) => ({
      failures: ['a'],
      tree: `tree-${index % 2}`,
      likeness: { lines: 1, linesDiffering: 0, characters: 1 },
      spinning: { unit: 'again and again', repeats: 30 },
      actions: [call],
    })),
  )

  it.each(
    [
      ...defaultGuards(),
      ...defaultGuards().map((guard) => ladder(guard, { patience: 3 })),
      stalledDiff({ by: 'characters', severity: 'trip' }),
      oscillation({ over: ['actions', 'trees'] }),
      thrashing({ timesMin: 3 }),
      deadline({ until: 5 }),
    ].map((guard) => [[guard.spec, ...(guard.spec.parts ?? [])].map((spec) => spec.name).join(' '), guard] as const),
  )('GUARD-13 %s is rebuilt from its data as it was', (_name, guard) => {
    const again = guardFrom(JSON.parse(JSON.stringify(guard.spec)))
    expect(again.spec).toEqual(guard.spec)
    expect(again.inspect(state)).toEqual(guard.inspect(state))
  })

  it('GUARD-47 out of the box only the maximum, the circuit breaker, tampering and the odds decide; the rest tells the agent', () => {
    const deciding = defaultGuards().filter((guard) => guard.spec.severity === 'trip')
    expect(deciding.map((guard) => guard.spec.name)).toEqual(['maxIterations', 'circuitBreaker', 'tampering', 'worthContinuing'])
    expect(defaultGuards().map((guard) => guard.spec.name)).toEqual([
      'maxIterations',
      'circuitBreaker',
      'tampering',
      'sameFailure',
      'thrashing',
      'noProgress',
      'oscillation',
      'stalledDiff',
      'emptyIterations',
      'spinningText',
      'repeatedAction',
      'qualityRegression',
      'worthContinuing',
      'iterationBudget',
      'idle',
    ])
  })

  it('GUARD-48 every trip names facts of the journal, numbers, and what would let it continue', () => {
    const trips = defaultGuards().flatMap((guard) => guard.inspect(state))
    expect(trips.map((trip) => trip.guard)).toEqual([
      'maxIterations',
      'circuitBreaker',
      'sameFailure',
      'thrashing',
      'noProgress',
      'oscillation',
      'stalledDiff',
      'spinningText',
      'repeatedAction',
    ])
    const wanting = trips.filter(
      ({ evidence: { facts, measures }, hint, message }) =>
        facts.length === 0 || Object.keys(measures).length === 0 || !hint.endsWith('.') || message === '',
    )
    expect(wanting).toEqual([])
  })

  it('GUARD-48 whatever a run did: facts are of its journal, and the value that a trip names lets it continue', () => {
    expect(() =>
      fc.assert(fc.property(fc.array(iteration, { minLength: 1, maxLength: 25 }), isSound), { numRuns: 150 }),
    ).not.toThrow()
  })
})

const few = (count: number) => fc.nat(count - 1)
const iteration = fc.record({
  failures: fc.array(few(3).map(String), { maxLength: 3 }),
  tree: few(3).map(String),
  files: fc.subarray(['a.ts', 'b.ts', 'notes.md']),
  likeness: fc.constantFrom({ lines: 1, linesDiffering: 0 }, { lines: 0.3, linesDiffering: 30 }),
  spinning: fc.constantFrom({ unit: 'again and again', repeats: 30 }),
  actions: fc.array(fc.record({ name: few(2).map(String), input: fc.constant(''), result: few(2).map(String) }), {
    maxLength: 6,
  }),
})

function isSound(iterations: Parameters<typeof stateAfter>[0]): boolean {
  const state = stateAfter(iterations)
  return [...defaultGuards(), oscillation({ over: ['actions', 'failures', 'trees'] })].every((guard) =>
    guard.inspect(state).every(({ evidence: { facts }, raise }) => {
      const settings = raise ? { ...guard.spec.settings, [raise.setting]: raise.to } : {}
      const isLetGo = !raise || guardFrom({ ...guard.spec, settings }).inspect(state).length === 0
      return isLetGo && facts.length > 0 && facts.every((seq) => seq > 0 && seq <= state.seq)
    }),
  )
}
