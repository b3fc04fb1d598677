import { describe, expect, it } from 'vitest'
import { errorShape, sequenceTraits } from './moment.ts'

describe('sequenceTraits', () => {
  it.each([
    [
      'nothing',
      [],
      { hasLast: false, streak: 0, count: 0, known: 0, different: 0, differentShare: 1, unknownStreak: 0, sinceNew: 0 },
    ],
    [
      'one value',
      ['a'],
      { hasLast: true, streak: 1, count: 1, known: 1, different: 1, differentShare: 1, unknownStreak: 0, sinceNew: 0 },
    ],
    [
      'a streak',
      ['b', 'a', 'a', 'a'],
      { hasLast: true, streak: 3, count: 3, known: 4, different: 2, differentShare: 0.5, sinceNew: 2 },
    ],
    ['to and fro', ['a', 'b', 'a', 'b'], { streak: 1, count: 2, known: 4, different: 2, differentShare: 0.5, sinceNew: 2 }],
    [
      'unknown at the end',
      ['a', undefined, undefined],
      { hasLast: false, streak: 0, count: 0, known: 1, unknownStreak: 2, sinceNew: 0 },
    ],
    ['unknown in between', ['a', undefined, 'a'], { streak: 1, count: 2, known: 2, different: 1, unknownStreak: 0, sinceNew: 1 }],
  ])('ODDS-1 measures how a list repeats itself: %s', (_name, values: readonly (string | undefined)[], expected) => {
    expect(sequenceTraits(values)).toMatchObject(expected)
  })
})

describe('errorShape', () => {
  it.each([
    ["Unknown column 'a' in line 3", "Unknown column 'bc' in line 14", true],
    ['Unknown column', 'Unknown table', false],
    ['Traceback (most recent call last)\n  x\nKeyError: "a"', 'Traceback (most recent call last)\n  y\n  z\nKeyError: "b"', true],
    ['Traceback (most recent call last)\nKeyError: 1', 'Traceback (most recent call last)\nTypeError: 1', false],
  ])('ODDS-1 errors of the same shape differ only in names and numbers: %j, %j', (one, other, isSame) => {
    expect(errorShape(one) === errorShape(other)).toBe(isSame)
    expect(errorShape(one)).toBe(errorShape(one))
  })
})
