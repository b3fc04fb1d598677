import { describe, expect, test } from 'vitest'
import { readCode } from './code.ts'

const spansIn = (path: string, text: string) =>
  readCode(path, text)!.functions.map(({ name, firstLine, lastLine }) => `${name} ${firstLine}-${lastLine}`)

describe('findFunctions', () => {
  test.each([
    ['a.js', 'function a(b) {\n  return b\n}\nif (a(1)) {\n  a(2)\n}', ['a 1-3']],
    [
      'a.js',
      'class A {\n  constructor(b) {\n    this.b = b\n  }\n  async get(c) {\n    return c\n  }\n}',
      ['constructor 2-4', 'get 5-7'],
    ],
    ['a.js', 'const a = (b) =>\n  b\n    .map((c) => c)\n    .join()\nconst d = async (e) => {\n  f(e)\n}', ['a 1-4', 'd 5-7']],
    ['a.js', 'const a = { b: function (c) {\n  return c\n}, d: (e) => e }', ['b 1-3', 'd 3-3']],
    ['a.ts', 'function a<B extends C>(b: B): { c: string; d: B[] } | undefined {\n  return b\n}', ['a 1-3']],
    ['a.ts', 'class A {\n  async b(c: Map<string, number>): Promise<{ d: number }> {\n    return c\n  }\n}', ['b 2-4']],
    ['a.py', 'def a(b):\n    if b:\n        return b\n\n    return 1\n\ndef c(): return 2\nd = 1', ['a 1-5', 'c 7-7']],
    ['a.go', 'func (s *Shop) Total(n int) (int, error) {\n\treturn n, nil\n}', ['Total 1-3']],
    ['a.c', 'static int a(int b) {\n  while (b(1)) {\n  }\n}', ['a 1-4']],
    ['a.rs', 'pub fn a(b: i32) -> i32 {\n    b\n}', ['a 1-3']],
  ])('TINKER-14 finds the functions of %s: %s', (path, text, spans) => {
    expect(spansIn(path, text)).toEqual(spans)
  })
})
