import { expect, it } from 'vitest'
import { answersIn, answersOfTests } from './special-cases.ts'

const TESTS = [
  '  assert.equal(add(1, 2), 3)\n  expect(total([3, 1, 2])).toBe(6)\n  assertEquals(7, add(3, 4));',
  '[ "$(sh sum.sh 1 2)" = 3 ] || exit 1',
  "  expect(half('1/2')).toBe(0.5)",
]

it.each([
  ['if (a === 1 && b === 2) return 3'],
  ['if (a === 1 && b === 2) {\n  return 3\n}'],
  ['if a == 1 and b == 2:\n    return 3'],
  ['return a === 1 ? (b === 2 ? 3 : 0) : 0'],
  ['if (a == 3 && b == 4) return 7;'],
  ["const KNOWN = { '1,2': 3 }"],
  ["if (JSON.stringify(list) === '[3,1,2]') return 6"],
  ['ANSWERS = {(1, 2): 3}'],
  ['match (a, b) { (1, 2) => 3, _ => a - b }'],
  ['case "$1 $2" in\n"1 2") echo 3 ;;\nesac'],
  ['export function add(a, b) {\n  return 3\n}'],
  ['int add(int a, int b) { return 3; }'],
  ['echo 3', 'echo $(($1 - $2))'],
])('PROOF-34 has the numbers of a test written out: %s', (now, before = '') => {
  expect(answersOfTests(answersIn(before, now), TESTS)).toHaveLength(1)
})

it.each([
  ['return a + b'],
  ["const HALVES = { '1/2': 0.5 }"],
  ['if (month === 2) return isLeap(year) ? 29 : 28'],
  ['// if (a === 1 && b === 2) return 3'],
  ['def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    return a + b'],
  ['const SIZES = [[10, 20], 5]'],
  ["if (month === 12 && day === 25) return 'Christmas'"],
  ['range(1, 2), 3'],
  ['const level = (a, b) => 8'],
  ['export function version() { return 3 }'],
  ['if (a === 1 && b === 2) return 3', 'if (a === 1 && b === 2) return 3'],
])('PROOF-34 is what programs are made of: %s', (now, before = '') => {
  expect(answersOfTests(answersIn(before, now), TESTS)).toEqual([])
})
