import { describe, expect, test } from 'vitest'
import type { Failure } from '../core/failure.ts'
import { rankCandidates } from './candidates.ts'
import { suspicionFrom } from './suspicion.ts'

const texts = new Map([
  [
    'src/cart.js',
    'export function total(a) {\n  return sum(a) + 1\n}\nexport function sum(a) {\n  return a + 2\n}\nexport function count(a) {\n  return a + 3\n}\n',
  ],
  ['src/unrelated.js', 'export function other(a) {\n  return a + 4\n}\n'],
  [
    'test/cart.test.js',
    "import { total, sum, count } from '../src/cart.js'\ntest('the total', () => check(total(1)))\ntest('the sum', () => check(sum(1)))\ntest('the count', () => check(count(1)))\n",
  ],
])
const failure: Failure = { id: 'the total', message: 'wrong', kind: 'assertion', file: 'test/cart.test.js', line: 2 }
const input = {
  folder: '/srv',
  texts,
  failures: [failure],
  output: '',
  brief: '',
  isEditable: (path: string) => !path.startsWith('test'),
}

const order = (seed: string) => rankCandidates(suspicionFrom(input), seed).map(({ id }) => id)

describe('suspicionFrom', () => {
  test('TINKER-14 what only the failing test calls comes first, then what others call too, then the rest', () => {
    const { weightOf } = suspicionFrom(input)
    expect(weightOf('src/cart.js', 2)).toBeGreaterThan(weightOf('src/cart.js', 5))
    expect(weightOf('src/cart.js', 5)).toBeGreaterThan(weightOf('src/cart.js', 8))
    expect(weightOf('src/unrelated.js', 2)).toBe(0)
  })

  test('TINKER-14 a line in a stack weighs more', () => {
    const framed = suspicionFrom({ ...input, output: '    at sum (file:///srv/src/cart.js:5:3)' })
    expect(framed.weightOf('src/cart.js', 5)).toBeGreaterThan(suspicionFrom(input).weightOf('src/cart.js', 5))
  })

  test('TINKER-14 a file that the brief names is looked at too', () => {
    const { sources } = suspicionFrom({ ...input, brief: 'Look into src/unrelated.js, please.' })
    expect(sources.map(({ path }) => path)).toContain('src/unrelated.js')
  })

  test('TINKER-14 without any lead every file that may be edited is looked at', () => {
    const bare = new Map([...texts].filter(([path]) => path.startsWith('src')))
    const { sources } = suspicionFrom({ ...input, texts: bare, failures: [] })
    expect(sources.map(({ path }) => path)).toEqual(['src/cart.js', 'src/unrelated.js'])
  })
})

describe('rankCandidates', () => {
  test('TINKER-8 the order is the same every time, and another one with another seed', () => {
    expect(order('')).toEqual(order(''))
    expect(order('7')).toEqual(order('7'))
    expect(order('7')).not.toEqual(order(''))
    expect(order('7').toSorted()).toEqual(order('').toSorted())
  })

  test('TINKER-5 tests inside a source file are not edited', () => {
    const text = "export const a = 1 + 2\nif (import.meta.vitest) {\n  test('a', () => expect(a).toBe(1 + 3))\n}\n"
    const suspicion = suspicionFrom({ ...input, texts: new Map([['src/a.js', text]]), failures: [] })
    expect(new Set(rankCandidates(suspicion, '').map(({ line }) => line))).toEqual(new Set([1]))
  })
})
