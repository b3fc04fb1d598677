import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { randomPairs } from '../../test/fixtures/similarity/random-pairs.ts'
import { isSequenceRatioAtLeast } from './is-sequence-ratio-at-least.ts'
import { sequenceRatio } from './sequence-ratio.ts'

const REAL_DIFFS = new URL('../../test/fixtures/similarity/real-diffs.json', import.meta.url)

test('SIM-6 the decision is that of the ratio for random pairs and any threshold, the ratio itself included', () => {
  for (const { a, b, isAutojunk } of randomPairs(7, 3000)) {
    const [one, other] = [String.fromCodePoint(...a), String.fromCodePoint(...b)]
    const ratio = sequenceRatio(one, other, { autojunk: isAutojunk })
    for (const threshold of [0, 0.3, 0.97, 1, ratio, Math.min(1, ratio + 1e-9), Math.max(0, ratio - 1e-9)]) {
      expect(isSequenceRatioAtLeast(one, other, threshold, { autojunk: isAutojunk })).toBe(ratio >= threshold)
    }
  }
})

test('SIM-6 the decision is that of the ratio for real diffs, by character and by line', () => {
  for (const { a, b } of JSON.parse(readFileSync(REAL_DIFFS, 'utf8')) as { a: string; b: string }[]) {
    for (const [one, other] of [[a, b] as const, [a.split('\n'), b.split('\n')] as const]) {
      const ratio = sequenceRatio(one, other)
      for (const threshold of [0.5, 0.9, 0.97, ratio])
        expect(isSequenceRatioAtLeast(one, other, threshold)).toBe(ratio >= threshold)
    }
  }
})

test('SIM-7 with too little work allowed the answer is the same or undefined, never another', () => {
  let undecided = 0
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(3000), fc.double({ min: 0, max: 1, noNaN: true }), (seed, workMax, threshold) => {
      for (const { a, b } of randomPairs(seed + 1, 3)) {
        const [one, other] = [String.fromCodePoint(...a), String.fromCodePoint(...b)]
        const decided = isSequenceRatioAtLeast(one, other, threshold, { workMax })
        if (decided === undefined) undecided++
        expect([undefined, sequenceRatio(one, other) >= threshold]).toContain(decided)
      }
    }),
    { numRuns: 150, seed: 3 },
  )
  expect(undecided).toBeGreaterThan(0)
})

test('SIM-7 a pair made to take for ever is given up after the work allowed', () => {
  const [a, b] = [growingRuns('b'), growingRuns('c')]
  expect(isSequenceRatioAtLeast(a, b, 0.99, { workMax: 2_000_000 })).toBeUndefined()
})

/** No run matches more than one other as a whole, and all of them in part. */
function growingRuns(end: string): string {
  return Array.from({ length: 400 }, (_, index) => 'a'.repeat(index) + end).join('')
}

test('SIM-8 a threshold that is no share, or a limit that is no number, is refused', () => {
  for (const threshold of [97, -0.1, Number.NaN]) {
    expect(() => isSequenceRatioAtLeast('a', 'b', threshold)).toThrow(expect.objectContaining({ code: 'setting.invalid' }))
  }
  expect(() => isSequenceRatioAtLeast('a', 'b', 0.5, { workMax: Number.NaN })).toThrow(
    'workMax must be a number at least 0, not NaN',
  )
})
