import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdit, type Candidate } from './edit.ts'
import { readCode } from './code.ts'
import { pickNext } from './candidates.ts'
import { editsOf, OPERATORS } from './mutations.ts'
import type { TryEffect } from './check.ts'

const vocabulary = { properties: new Set(['quantity']) }

/** All texts that one edit makes of a source. */
function editedTexts(source: string, path = 'a.js'): string[] {
  const code = readCode(path, source)!
  return editsOf(code, vocabulary).map((edit) => applyEdit(source, edit))
}

describe('editsOf', () => {
  test.each([
    ['a boundary', 'function f(a) {\n  return a < 3\n}', 'function f(a) {\n  return a <= 3\n}'],
    ['a direction', 'x = a > b', 'x = a < b'],
    ['an equality', 'if (a === b) c()', 'if (a !== b) c()'],
    ['a sum', 'x = a + b', 'x = a - b'],
    ['a product', 'x = a * b', 'x = a / b'],
    ['a connective', 'x = a && b', 'x = a || b'],
    ['a default', 'x = a || 1', 'x = a ?? 1'],
    ['a total that is overwritten', 'function f(sum, a) {\n  sum = a\n}', 'function f(sum, a) {\n  sum += a\n}'],
    ['a flag', 'const a = true', 'const a = false'],
    ['a start value', 'let sum = 0', 'let sum = 1'],
    ['a number', 'const MAX = 9', 'const MAX = 10'],
    ['a decimal point', 'const RATE = 0.5', 'const RATE = 0.05'],
    ['the case of a text', "f('Paid')", "f('paid')"],
    ['a pattern', "a.replace(/x/, '')", "a.replace(/x/g, '')"],
    ['an index', 'x = a[i]', 'x = a[i - 1]'],
    ['a length', 'x = a[a.length]', 'x = a[a.length - 1]'],
    ['a step too many', 'x = a.slice(0, n + 1)', 'x = a.slice(0, n)'],
    ['the end of a slice', 'x = a.slice(0, n)', 'x = a.slice(0, n + 1)'],
    ['a bound', 'while (i < n) i++', 'while (i < n - 1) i++'],
    ['a missing negation', 'if (done) return', 'if (!(done)) return'],
    ['a negation too many', 'if (!done) return', 'if (done) return'],
    ['a filter the wrong way round', 'x = a.filter((b) => b.ok)', 'x = a.filter((b) => !b.ok)'],
    ['a condition that asks too much', 'if (a > 1 && b) c()', 'if (a > 1) c()'],
    ['two arguments', 'f(a, b)', 'f(b, a)'],
    ['two operands', 'x = a.b - c()', 'x = c() - a.b'],
    ['what is computed first', 'x = a + b * c', 'x = (a + b) * c'],
    ['two branches', 'x = a ? b : c', 'x = a ? c : b'],
    ['rounding', 'x = Math.floor(a)', 'x = Math.ceil(a)'],
    ['an extreme', 'x = Math.min(a, b)', 'x = Math.max(a, b)'],
    ['the end of a list', 'a.push(b)', 'a.unshift(b)'],
    ['a missing await', 'async function f() {\n  const a = g()\n}', 'async function f() {\n  const a = await g()\n}'],
    ['an order for numbers', 'x = a.sort()', 'x = a.sort((a, b) => a - b)'],
    ['a list that is changed in place', 'x = a.sort(f)', 'x = a.slice().sort(f)'],
    ['a value that may be missing', 'x = a.b.c', 'x = a.b?.c'],
    [
      'another variable',
      'function f(start, end) {\n  return start - start\n}',
      'function f(start, end) {\n  return start - end\n}',
    ],
    ['another property', 'x = line.price * line.count', 'x = line.price * line.quantity'],
    [
      'another function',
      'function f(a) {\n  return g(a)\n}\nfunction g(a) {}\nfunction h(a) {}',
      'function f(a) {\n  return h(a)\n}\nfunction g(a) {}\nfunction h(a) {}',
    ],
    ['a missing return', 'function f(a) {\n  g(a)\n}', 'function f(a) {\n  return g(a)\n}'],
    ['a statement too many', 'function f(a) {\n  g(a)\n  h(a)\n}', 'function f(a) {\n  h(a)\n}'],
    ['two statements', 'function f(a) {\n  g(a)\n  h(a)\n}', 'function f(a) {\n  h(a)\n  g(a)\n}'],
    [
      'a guard that another function has',
      'function f(a) {\n  if (!a) return 0\n  g(a)\n}\nfunction h(a) {\n  k(a)\n}',
      'function f(a) {\n  if (!a) return 0\n  g(a)\n}\nfunction h(a) {\n  if (!a) return 0\n  k(a)\n}',
    ],
  ])('TINKER-2 fixes %s', (_, source, fixed) => {
    expect(editedTexts(source)).toContain(fixed)
  })

  test.each([
    ['a.py', 'def f(a, b):\n    return a and not b\n', 'def f(a, b):\n    return a and b\n'],
    ['a.py', 'def f(a, b):\n    if a > b:\n        return a // 2\n', 'def f(a, b):\n    if a >= b:\n        return a // 2\n'],
    [
      'a.go',
      'func Max(a, b int) int {\n\tif a < b {\n\t\treturn a\n\t}\n\treturn b\n}\n',
      'func Max(a, b int) int {\n\tif a < b {\n\t\treturn b\n\t}\n\treturn b\n}\n',
    ],
    [
      'a.c',
      'int f(int n) {\n  for (int i = 1; i<n; i++) s += i;\n}\n',
      'int f(int n) {\n  for (int i = 1; i<=n; i++) s += i;\n}\n',
    ],
    [
      'a.ts',
      'function f(a: Map<string, number>): boolean {\n  return a.size > 1\n}',
      'function f(a: Map<string, number>): boolean {\n  return a.size >= 1\n}',
    ],
  ])('TINKER-2 also reads %s: %s', (path, source, fixed) => {
    expect(editedTexts(source, path)).toContain(fixed)
  })

  test('TINKER-2 brackets around types, imports and declared names are left alone', () => {
    const source = "import { a } from './A.js'\nconst x: Map<string, number> = a\nconst [y] = (z) => x"
    const texts = editedTexts(source, 'a.ts')
    expect(texts.some((text) => !text.startsWith("import { a } from './A.js'\nconst x: Map<string, number> = "))).toBe(false)
    expect(texts.some((text) => !text.includes('const [y] = (z) =>'))).toBe(false)
  })

  test('TINKER-2 every operator is replaced by others, never by itself', () => {
    for (const [operator, replacements] of OPERATORS) {
      expect(replacements.map(([text]) => text)).not.toContain(operator)
      for (const [, prior] of replacements) expect(prior > 0 && prior <= 1).toBe(true)
    }
  })

  test('TINKER-2 whatever the text, each edit lies within it, changes it and is in the list once', () => {
    const words =
      'if ( ) [ ] { } return a b constructor . ?. , ; : ? + - * / % < <= > = == === && || ! ++ => await async function 0 1 2.5 "s" `t ${ x } \n // /r/g and not def for of sort slice'
    const source = fc.array(fc.constantFrom(...words.split(' '), ' ', '\n')).map((all) => all.join(' '))
    fc.assert(
      fc.property(source, fc.constantFrom('a.js', 'a.ts', 'a.py', 'a.go'), (text, path) => {
        const texts = editsOf(readCode(path, text)!, vocabulary).map((edit) => {
          expect(edit.start >= 0 && edit.start <= edit.end && edit.end <= text.length).toBe(true)
          expect(text.slice(edit.start, edit.end)).not.toBe(edit.replacement)
          return `${edit.start} ${edit.end} ${edit.replacement}`
        })
        expect(new Set(texts).size).toBe(texts.length)
      }),
      { numRuns: 300 },
    )
  })
})

const candidate = (id: string, line: number, weight: number): Candidate => ({
  id,
  line,
  weight,
  path: 'a.js',
  area: `a.js ${line}`,
  prior: weight,
  start: 0,
  end: 0,
  replacement: '',
  label: id,
})
const candidates = [candidate('first', 1, 1), candidate('second', 1, 0.9), candidate('third', 2, 0.8)]
const pick = (tried: Record<string, TryEffect>) => pickNext(candidates, new Map(Object.entries(tried)))?.id

describe('pickNext', () => {
  test('TINKER-14 the most promising comes first', () => expect(pick({})).toBe('first'))
  test('TINKER-14 a line where a try changed nothing has to wait', () => expect(pick({ first: 'same' })).toBe('third'))
  test('TINKER-14 a line where only the failing tests moved continues', () => expect(pick({ first: 'closer' })).toBe('second'))
  test('TINKER-14 nothing is tried twice, and in the end nothing is left', () => {
    expect(pick({ first: 'same', third: 'same' })).toBe('second')
    expect(pick({ first: 'same', second: 'moved', third: 'broke' })).toBe(undefined)
  })
})
