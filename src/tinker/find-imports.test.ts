import { describe, expect, test } from 'vitest'
import { readCode } from './code.ts'
import { findImports } from './find-imports.ts'

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
