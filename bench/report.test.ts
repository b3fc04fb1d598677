import { expect, test } from 'vitest'
import { atLeast, atMost } from './bound.ts'
import type { Figure, Measurement } from './figure.ts'
import { report, summary, toJson } from './report.ts'

const fast = figure('fast', atLeast(40))
const small = figure('small', atMost(3))
const holding: Measurement = { status: 'measured', value: 3, details: ['How it came about.'] }
const missing: Measurement = { status: 'measured', value: 3.0071, details: [] }
const unmeasured: Measurement = { status: 'unmeasured', reason: 'the peers could not be installed.' }

test('BENCH-2 a bound is met by its very value and missed right beyond it', () => {
  expect(JSON.parse(toJson(small, holding))).toEqual({ name: 'small', value: 3, unit: 'x', bound: '<= 3', holds: true })
  expect(JSON.parse(toJson(small, missing))).toEqual({ name: 'small', value: 3.01, unit: 'x', bound: '<= 3', holds: false })
  expect(JSON.parse(toJson(fast, missing))).toEqual({ name: 'fast', value: 3.01, unit: 'x', bound: '>= 40', holds: false })
})

test('BENCH-2 a missed bound is said in capitals, with its name in the last line', () => {
  expect(report(small, holding)).toMatch(/^small +3x +bound <= 3: holds\n {4}How it came about\.$/)
  expect(report(small, missing)).toMatch(/^small +3\.01x +bound <= 3: MISSED$/)
  const measurements = [
    [small, holding],
    [fast, missing],
  ] as const
  expect(summary(measurements)).toBe('1 of 2 hold. MISSED: fast.')
})

test('BENCH-3 what could not be measured gives the reason and no number', () => {
  const { reason } = unmeasured as { reason: string }
  expect(report(fast, unmeasured)).toBe(`fast                 NOT MEASURED: ${reason}`)
  expect(JSON.parse(toJson(fast, unmeasured))).toEqual({
    name: 'fast',
    value: null,
    unit: 'x',
    bound: '>= 40',
    holds: false,
    reason,
  })
  expect(summary([[fast, unmeasured]])).toBe('0 of 1 hold. NOT MEASURED: fast.')
})

function figure(name: string, bound: Figure['bound']): Figure {
  return { name, bound, measure: async () => unmeasured }
}
