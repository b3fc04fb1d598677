import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../../test/support/given-loop.ts'
import {
  circuitBreaker,
  customGuard,
  ladder,
  maxIterations,
  noProgress,
  qualityRegression,
  sameFailure,
  thrashing,
  withSeverity,
} from '../../guards/index.ts'
import type { Guard } from '../../core/guard.ts'
import { factsOf } from './recorded-loop.ts'
import { replay } from './replay.ts'

const failed: GivenIteration = { passed: false, error: 'no' }
const other: GivenIteration = { passed: false, error: 'yes and no' }
const passed: GivenIteration = { passed: true }

function stopOf(iterations: readonly GivenIteration[], ...guards: readonly Guard[]) {
  return replay(factsOf(givenLoop(iterations)), [{ name: 'given', guards }])[0]
}

const twice = sameFailure({ repeatsMin: 2, severity: 'trip' })

/** Holds from the second iteration on. */
function always(disputesPass?: true): Guard {
  return customGuard({
    name: 'always',
    inspect: ({ current }) =>
      current.number < 2
        ? undefined
        : { message: '', hint: '', evidence: { facts: [], measures: {} }, ...(disputesPass ? { disputesPass } : {}) },
  })
}

describe('replay', () => {
  it('BACK-12 ends a loop at the first iteration at which a guard of the policy trips, and names the guards', () => {
    expect(stopOf([failed, other, other, failed], twice)).toEqual({ iteration: 3, guards: ['sameFailure'] })
    expect(stopOf([failed, other, other], twice, maxIterations(3))).toEqual({
      iteration: 3,
      guards: ['sameFailure', 'maxIterations'],
    })
    expect(stopOf([failed, other], twice)).toBeUndefined()
  })

  it('BACK-12 a guard that only warns ends nothing', () => {
    expect(stopOf([failed, failed, failed], withSeverity(twice, 'warn'))).toBeUndefined()
  })

  it('BACK-56 an iteration with neither a result nor an error is no failure, and a row of failures begins again after it', () => {
    const unknown: GivenIteration = { action: 'look', output: 'at it' }
    const handedIn = Array.from({ length: 9 }, (_, index) => ({ solution: `version ${index}` }))
    const deciding = [
      circuitBreaker({ failuresMax: 2 }),
      noProgress({ iterationsMin: 2, severity: 'trip' }),
      qualityRegression({ severity: 'trip' }),
      thrashing({ severity: 'trip' }),
    ]
    expect(stopOf([{ passed: false, score: 0.5 }, ...Array.from({ length: 9 }, () => unknown)], ...deciding)).toBeUndefined()
    expect(stopOf(handedIn, ...deciding)).toBeUndefined()
    const breaker = circuitBreaker({ failuresMax: 2 })
    expect(stopOf([failed, unknown, other, failed], breaker)).toEqual({ iteration: 4, guards: ['circuitBreaker'] })
    // A score is a result, and one that is not better is a failure.
    expect(stopOf([{ score: 0.5 }, { score: 0.5 }, { score: 0.5 }], breaker)).toEqual({
      iteration: 3,
      guards: ['circuitBreaker'],
    })
  })

  it('BACK-6 failures without a message are never the same', () => {
    const silent = Array.from({ length: 5 }, () => ({ passed: false }))
    expect(stopOf(silent, noProgress({ iterationsMin: 2, severity: 'trip' }))).toBeUndefined()
  })

  it('BACK-13 a pass outranks a trip, unless the trip disputes it', () => {
    expect(stopOf([failed, passed, failed], always())).toEqual({ iteration: 3, guards: ['always'] })
    expect(stopOf([failed, passed, failed], always(true))).toEqual({ iteration: 2, guards: ['always'] })
  })

  it('BACK-14 a ladder warns first, by the warnings of its own policy and of no other', () => {
    const iterations = [failed, failed, failed, failed, failed]
    const policies = [
      { name: 'ladder', guards: [ladder(sameFailure({ repeatsMin: 2 }), { patience: 2 })] },
      { name: 'warns sooner', guards: [withSeverity(sameFailure({ repeatsMin: 2 }), 'warn')] },
      { name: 'twice', guards: [twice] },
    ]
    const stops = replay(factsOf(givenLoop(iterations)), policies)
    expect(stops.map((stop) => stop?.iteration)).toEqual([4, undefined, 2])
    const healed = [failed, failed, other, failed, failed, failed]
    expect(stopOf(healed, ladder(sameFailure({ repeatsMin: 2 }), { patience: 1 }))?.iteration).toBe(6)
  })
})
