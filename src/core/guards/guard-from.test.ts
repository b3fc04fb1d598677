import { describe, expect, it } from 'vitest'
import { stateAfter } from '../../testing/state-builder.ts'
import { deadline, defaultGuards, guardFrom, ladder, oscillation, stalledDiff, thrashing } from './index.ts'

describe('guardFrom', () => {
  const call = { name: 'bash', input: 'i', result: 'r' }
  const state = stateAfter(
    Array.from({ length: 8 }, (_, index) => ({
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

  it('GUARD-47 out of the box only the maximum and the circuit breaker decide; the rest tells the agent', () => {
    const deciding = defaultGuards().filter((guard) => guard.spec.severity === 'trip')
    expect(deciding.map((guard) => guard.spec.name)).toEqual(['maxIterations', 'circuitBreaker'])
    expect(defaultGuards().map((guard) => guard.spec.name)).toEqual([
      'maxIterations',
      'circuitBreaker',
      'sameFailure',
      'thrashing',
      'noProgress',
      'oscillation',
      'stalledDiff',
      'emptyIterations',
      'spinningText',
      'repeatedAction',
      'qualityRegression',
    ])
  })

  it('GUARD-48 every trip names facts of the journal, numbers, and what would have let it go on', () => {
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
    for (const trip of trips) {
      expect(trip.evidence.facts.length, trip.guard).toBeGreaterThan(0)
      expect(Object.keys(trip.evidence.measures).length, trip.guard).toBeGreaterThan(0)
      expect(trip.hint, trip.guard).toMatch(/\.$/)
      expect(trip.message, trip.guard).toMatch(/\S/)
    }
  })
})
