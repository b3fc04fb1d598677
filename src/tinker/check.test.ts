import { describe, expect, test } from 'vitest'
import type { Failure } from '../core/failure.ts'
import { type CheckOutcome, describeOutcome, effectOf, isBetter } from './check.ts'

const failure = (id: string, message = 'wrong'): Failure => ({ id, message, kind: 'assertion' })

function ran(passed: number, failures: readonly Failure[], more: { skipped?: number; timedOut?: boolean } = {}): CheckOutcome {
  const { skipped = 0, timedOut = false } = more
  const report = { format: 'tap', counts: { passed, failed: failures.length, skipped }, failures }
  return { passed: failures.length === 0 && !timedOut, timedOut, output: '', durationMs: 1, report }
}

const plain = (passed: boolean): CheckOutcome => ({ passed, timedOut: false, output: '', durationMs: 1 })
const before = ran(3, [failure('a'), failure('b')])

describe('isBetter', () => {
  test.each([
    ['one of two failing tests passes', ran(4, [failure('b')]), true],
    ['all pass', ran(5, []), true],
    ['the same tests fail', before, false],
    ['as many fail, but others', ran(3, [failure('a'), failure('c')]), false],
    ['fewer fail, but one that passed before', ran(4, [failure('c')]), false],
    ['fewer fail because fewer ran', ran(0, [failure('b')]), false],
    ['nothing fails because nothing ran', ran(0, []), false],
    ['a failing test is skipped', ran(3, [failure('b')], { skipped: 1 }), false],
    ['the check passes without saying what it ran', plain(true), false],
    ['it did not end in time', ran(4, [failure('b')], { timedOut: true }), false],
  ])('TINKER-3 %s', (_, after, expected) => {
    expect(isBetter(after, before)).toBe(expected)
  })

  test('TINKER-3 a check without a report must pass', () => {
    expect(isBetter(plain(true), plain(false))).toBe(true)
    expect(isBetter(plain(false), plain(false))).toBe(false)
  })

  test('TINKER-3 a runner that names only failures is believed as long as no new one comes up', () => {
    const silent = ran(0, [failure('a'), failure('b')])
    expect(isBetter(ran(0, [failure('b')]), silent)).toBe(true)
    expect(isBetter(ran(0, [failure('build')]), silent)).toBe(false)
    expect(isBetter(plain(true), silent)).toBe(true)
  })
})

describe('effectOf', () => {
  test.each([
    ['same', ran(3, [failure('a'), failure('b')])],
    ['closer', ran(3, [failure('a', 'wrong otherwise'), failure('b')])],
    ['moved', ran(2, [failure('a', 'wrong otherwise'), failure('b'), failure('c')])],
    ['broke', ran(0, [failure('file')])],
  ])('TINKER-14 tells that a try left the failing tests %s', (effect, after) => {
    expect(effectOf(after, before)).toBe(effect)
  })

  test('TINKER-14 a line number that moved is no change', () => {
    expect(effectOf(ran(1, [failure('a', 'at x.js:3:4')]), ran(1, [failure('a', 'at x.js:2:4')]))).toBe('same')
  })
})

test('TINKER-12 outcomes are named in plain words', () => {
  expect([before, ran(5, []), ran(1, []), plain(false), plain(true), { ...before, timedOut: true }].map(describeOutcome)).toEqual(
    [
      '2 of 5 tests fail',
      'all 5 tests pass',
      'the test passes',
      'the check fails',
      'the check passes',
      'the check did not end in time',
    ],
  )
})
