import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { plainMatchedLength } from '../../test/fixtures/similarity/plain-difflib.ts'
import { addedToChecksum, CHECKSUM_START, randomPairs } from '../../test/fixtures/similarity/random-pairs.ts'
import { isSequenceRatioAtLeast, sequenceRatio } from './sequence-ratio.ts'

const FIXTURES = new URL('../../test/fixtures/similarity/', import.meta.url)

interface RealDiffs {
  readonly a: string
  readonly b: string
  /** Without and with autojunk. */
  readonly characters: readonly [number, number]
  readonly lines: readonly [number, number]
}

test('SIM-1 the ratio is that of CPython for 100,000 recorded random pairs', () => {
  const recorded = readFileSync(new URL('random-pairs.bin', FIXTURES))
  const { seed, count, checksum } = JSON.parse(readFileSync(new URL('random-pairs.json', FIXTURES), 'utf8')) as Record<
    string,
    number
  >
  let index = 0
  let sum = CHECKSUM_START
  const differing: number[] = []
  for (const pair of randomPairs(seed as number, count as number)) {
    sum = addedToChecksum(sum, pair)
    const { a, b, isAutojunk } = pair
    const matched = recorded.readUInt16LE(2 * index)
    const expected = a.length + b.length === 0 ? 1 : (2 * matched) / (a.length + b.length)
    if (sequenceRatio(textOf(a), textOf(b), { autojunk: isAutojunk }) !== expected) differing.push(index)
    index++
  }
  expect({ index, sum, differing }).toEqual({ index: 100_000, sum: checksum, differing: [] })
})

test('SIM-1 the ratio is that of CPython for real diffs, by character and by line, with and without autojunk', () => {
  const pairs = JSON.parse(readFileSync(new URL('real-diffs.json', FIXTURES), 'utf8')) as RealDiffs[]
  expect(pairs.length).toBeGreaterThan(30)
  for (const { a, b, characters, lines } of pairs) {
    expect(bothRatios(a, b)).toEqual(characters)
    expect(bothRatios(a.split('\n'), b.split('\n'))).toEqual(lines)
  }
})

function bothRatios(a: string | string[], b: string | string[]): number[] {
  return [false, true].map((autojunk) => sequenceRatio(a, b, { autojunk }))
}

test.each([
  ['', '', 1],
  ['a', '', 0],
  ['', 'a', 0],
  ['abcd', 'bcde', 0.75],
  // Neither taking off what both begin or end with first, nor the other way round, gives the same.
  ['aaa', 'abaa', 4 / 7],
  ['ab', 'acab', 4 / 6],
  ['tide', 'diet', 0.25],
  ['diet', 'tide', 0.5],
])('SIM-2 of equally long matches the earliest in a counts, then the earliest in b: %j and %j', (a, b, ratio) => {
  expect(sequenceRatio(a, b)).toBe(ratio)
})

test.each([
  ['an astral character is one element', '\u{1F600}', '\u{1F601}', 0],
  ['an astral character is one of three', 'a\u{1F600}b', 'a\u{1F601}b', 4 / 6],
  ['a surrogate without its partner is one element', '\uD83Da', '\uD83Db', 0.5],
  ['a surrogate does not match half of a character', '\uD83D', '\u{1F600}', 0],
])('SIM-3 texts are compared by code point: %s', (_what, a, b, ratio) => {
  expect(sequenceRatio(a, b)).toBe(ratio)
})

test('SIM-4 autojunk is off by default; popular elements of a long b are left out with it', () => {
  const a = 'x'.repeat(200)
  const b = `y${'x'.repeat(250)}`
  expect(sequenceRatio(a, b)).toBe(400 / 451)
  expect(sequenceRatio(a, b, { autojunk: true })).toBe(0)
  expect(sequenceRatio(a, b.slice(0, 199), { autojunk: true })).toBe(sequenceRatio(a, b.slice(0, 199)))
  // What both begin with is matched all the same, as is what is beside a match.
  expect(sequenceRatio(a, b.slice(1), { autojunk: true })).toBe(400 / 450)
  expect(sequenceRatio(`xxx!${a}`, `xx!${b}`, { autojunk: true })).toBe(6 / (204 + 254))
})

/** Texts with repetitions, so that there are ties and matches of many lengths. */
const texts = fc
  .array(fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 8,
  })
  .chain((parts) => fc.array(fc.constantFrom('', ...parts), { maxLength: 40 }))
  .map((parts) => parts.join(''))

test('SIM-1 the ratio is that of a plain translation of difflib for whatever texts and lines', () => {
  fc.assert(
    fc.property(texts, texts, fc.boolean(), (a, b, autojunk) => {
      const [aPoints, bPoints] = [Array.from(a), Array.from(b)]
      const length = aPoints.length + bPoints.length
      const expected = length === 0 ? 1 : (2 * plainMatchedLength(aPoints, bPoints, autojunk)) / length
      expect(sequenceRatio(a, b, { autojunk })).toBe(expected)
      expect(sequenceRatio(aPoints, bPoints, { autojunk })).toBe(expected)
    }),
    { numRuns: 300, seed: 5 },
  )
})

/** Fibonacci's string: it repeats itself at every length. */
function fibonacci(length: number): string {
  let [shorter, longer] = ['a', 'ab']
  while (longer.length < length) [shorter, longer] = [longer, longer + shorter]
  return longer.slice(0, length)
}

/** Thue and Morse's, which no polynomial modulo a power of two can tell from its opposite. */
function thueMorse(length: number, first = 'a', second = 'b'): string {
  let [text, opposite] = [first, second]
  while (text.length < length) [text, opposite] = [text + opposite, opposite + text]
  return text.slice(0, length)
}

test.each([
  ['a^n and (ab)^n', 'a'.repeat(200), 'ab'.repeat(100)],
  ['(ab)^n and a^n', 'ab'.repeat(100), 'a'.repeat(200)],
  ['a^n and a^n b a^n', 'a'.repeat(400), `${'a'.repeat(200)}b${'a'.repeat(200)}`],
  ['(aab)^n and (aaab)^n', 'aab'.repeat(90), 'aaab'.repeat(70)],
  ['Fibonacci and Thue-Morse', fibonacci(400), thueMorse(400)],
  ['Thue-Morse and its opposite', thueMorse(400), thueMorse(400, 'b', 'a')],
  ['growing runs', growingRuns('b', 28), growingRuns('c', 28)],
])('SIM-5 strings that repeat themselves get the exact ratio, too: %s', (_what, a, b) => {
  const expected = (2 * plainMatchedLength(Array.from(a), Array.from(b))) / (a.length + b.length)
  expect(sequenceRatio(a, b)).toBe(expected)
})

/** No run matches more than one other as a whole, and all of them in part. */
function growingRuns(end: string, count: number): string {
  return Array.from({ length: count }, (_, index) => 'a'.repeat(index) + end).join('')
}

test.each([
  ['a^n and (ab)^n', 'a'.repeat(1_000_000), 'ab'.repeat(500_000), 0.5],
  ['(abx)^n and (aby)^n', 'abx'.repeat(300_000), 'aby'.repeat(300_000), 2 / 3],
  ['a^n and a^n-1', 'a'.repeat(1_000_000), 'a'.repeat(999_999), (2 * 999_999) / 1_999_999],
])('SIM-5 a million elements that repeat themselves get the exact ratio: %s', (_what, a, b, ratio) => {
  expect(sequenceRatio(a, b)).toBe(ratio)
})

function textOf(points: readonly number[]): string {
  return points.map((point) => String.fromCodePoint(point)).join('')
}

test('REVIEW-113 a text and an array of lines are not compared with each other', () => {
  expect(() => sequenceRatio('a', ['a'])).toThrow('not one with the other')
  expect(() => sequenceRatio(['a'], 'a')).toThrow('not one with the other')
})

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
  for (const { a, b } of JSON.parse(readFileSync(new URL('real-diffs.json', FIXTURES), 'utf8')) as { a: string; b: string }[]) {
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
  const [a, b] = [growingRuns('b', 400), growingRuns('c', 400)]
  expect(isSequenceRatioAtLeast(a, b, 0.99, { workMax: 2_000_000 })).toBeUndefined()
})

test('SIM-8 a threshold that is no share, or a limit that is no number, is refused', () => {
  for (const threshold of [97, -0.1, Number.NaN]) {
    expect(() => isSequenceRatioAtLeast('a', 'b', threshold)).toThrow(expect.objectContaining({ code: 'setting.invalid' }))
  }
  expect(() => isSequenceRatioAtLeast('a', 'b', 0.5, { workMax: Number.NaN })).toThrow(
    'workMax must be a number at least 0, not NaN',
  )
})
