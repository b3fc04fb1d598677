import { expect, test } from 'vitest'
import { failureItem, shownPair } from './failure-item.ts'

test.each([
  ['"a b"', '"a  b"', '"a b"', '"a  b"'],
  ['a\tb', 'a b', '"a\\tb"', '"a b"'],
  ['a', 'a\n', '"a"', '"a\\n"'],
  ['a b', 'a\u00A0b', '"a b"', '"a\\u00a0b"'],
  ['1', '2', '1', '2'],
  ['', ' ', '""', '" "'],
])('CORE-143 values that differ only in space are shown so that it is seen: %j and %j', (expected, received, one, other) => {
  expect(shownPair(expected, received)).toEqual([one, other])
})

test('CORE-143 of long values the piece is shown in which they differ', () => {
  const [one, other] = shownPair(`${'x'.repeat(500)} y${'z'.repeat(500)}`, `${'x'.repeat(500)}  y${'z'.repeat(500)}`)
  expect(one).not.toBe(other)
  expect(one).toMatch(/^…x+ yz+…$/)
  expect(Math.max(one.length, other.length)).toBeLessThan(60)
})

test('CORE-143 a failure has it in its line', () => {
  const failure = { id: 'a', kind: 'assertion', message: 'not equal', expected: 'x y', received: 'x  y' } as const
  expect(failureItem(failure)).toBe('a: expected "x y", received "x  y"')
})
