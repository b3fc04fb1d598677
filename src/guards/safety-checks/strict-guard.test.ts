import { expect, test } from 'vitest'
import { circuitBreaker, guardFrom, maxIterations, sameFailure, thrashing } from '../index.ts'
import type { Guard } from '../../core/guard.ts'
import { initialTrend, trendWith } from '../../core/measures/measures.ts'
import { initialState, type IterationSummary, type State } from '../../core/state.ts'
import { strictGuard } from '../safety-checks.ts'

/** A run whose iterations had these scores and changed these files; 1 is a pass. */
function stateOf(scores: readonly number[], files: readonly string[] = []): State {
  const part = { name: 'x', v: 1, settings: {} }
  const state = initialState('r', 1, 0, { loop: part, guards: [], agent: part, checks: [], workspace: part })
  const recent = scores.map((score, index) => ({
    iteration: index + 1,
    seq: index + 2,
    verdict: { passed: score === 1, score, failing: score === 1 ? 0 : 1 },
    files,
  })) as unknown as IterationSummary[]
  const trend = scores.reduce((seen, score, index) => trendWith(seen, score, index), initialTrend)
  const verdict = { passed: false, score: scores.at(-1) ?? 0, failing: 1 }
  return {
    ...state,
    recent,
    measures: { ...state.measures, trend },
    current: { ...state.current, number: scores.length, ended: { seq: scores.length + 1, verdict } },
  }
}

const messages = (guard: Guard, state: State): readonly string[] =>
  strictGuard(guard)
    .inspect(state)
    .map(({ message }) => message)

test('MCP-15 failures in a row open the breaker even where the score gets better, in the words of the safety check', () => {
  const breaker = circuitBreaker({ failuresMax: 3 })
  expect(breaker.inspect(stateOf([0.1, 0.2, 0.3]))).toEqual([])
  expect(messages(breaker, stateOf([0.1, 0.2, 0.3]))).toEqual([
    'Circuit breaker OPEN: 3 consecutive validation failures (threshold: 3). Manual intervention required.',
  ])
  expect(messages(breaker, stateOf([0.1, 1, 0.3]))).toEqual([])
})

test('MCP-15 D1 the maximum forbids the iteration after it', () => {
  expect(messages(maxIterations(3), stateOf([0, 0]))).toEqual([])
  expect(messages(maxIterations(3), stateOf([0, 0, 0]))).toEqual(['Iteration 4 exceeds maximum of 3. Circuit breaker triggered.'])
})

test('MCP-15 D4 a file changed in five iterations is thrashing', () => {
  const guard = thrashing({ severity: 'trip' })
  expect(messages(guard, stateOf([0, 0, 0, 0], ['a.ts']))).toEqual([])
  expect(messages(guard, stateOf([0, 0, 0, 0, 0], ['a.ts']))[0]).toContain('modified 5+ times without progress: a.ts')
})

test('MCP-15 guards that only warn, and guards without a safety check, stay as they are', () => {
  const warning = thrashing()
  const other = sameFailure()
  expect(strictGuard(warning)).toBe(warning)
  expect(strictGuard(other)).toBe(other)
})

test('MCP-37 a strict guard built from its data is strict', () => {
  const strict = strictGuard(circuitBreaker({ failuresMax: 3 }))
  const state = stateOf([0.1, 0.2, 0.3])
  expect(guardFrom(strict.spec).spec).toEqual(strict.spec)
  expect(guardFrom(strict.spec).inspect(state)).toEqual(strict.inspect(state))
  expect(guardFrom(circuitBreaker({ failuresMax: 3 }).spec).inspect(state)).toEqual([])
})
