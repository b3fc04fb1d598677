import { describe, expect, test } from 'vitest'
import { findImports, readCode } from './code.ts'

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

describe('findImports', () => {
  test.each([
    ['test/a.test.js', "import { a } from '../src/a.js'", ['src/a.js'], ['src/a.js', 'lib/a.js']],
    [
      'test/a.test.ts',
      "import a from '../src/a.js'\nexport { b } from '../src/b/index.ts'",
      ['src/a.ts', 'src/b/index.ts'],
      ['src/a.ts', 'src/b/index.ts'],
    ],
    ['a.test.cjs', "const a = require('./a')", ['a.cjs'], ['a.cjs']],
    [
      'tests/test_shop.py',
      'from shop.cart import total\nimport shop.money',
      ['shop/cart.py', 'shop/money.py'],
      ['shop/cart.py', 'shop/money.py', 'shop/tax.py'],
    ],
    ['shop/cart_test.go', 'package shop', ['shop/cart.go'], ['shop/cart.go', 'other/cart.go']],
    ['test/a.c', '#include "../src/a.h"', ['src/a.c', 'src/a.h'], ['src/a.c', 'src/a.h', 'src/b.c']],
  ])('TINKER-14 finds what %s brings in', (path, text, found, paths) => {
    expect(findImports(readCode(path, text)!, paths).toSorted()).toEqual(found)
  })
})
