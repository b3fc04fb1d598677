import { expect, test } from 'vitest'
import { valueMismatch } from '../core/measures/value-mismatch.ts'
import { conversionsFor } from './rulings.ts'
import { languageOf } from './tokenize.ts'

function conversions(path: string, expected: string, received: string, value = 'a.b'): readonly string[] {
  const mismatch = valueMismatch(expected, received)
  const language = languageOf(path)
  if (!mismatch || !language) throw new Error('Not a mismatch, or not a language.')
  return conversionsFor(mismatch, language).map(({ wrap }) => wrap(value))
}

test.each([
  ['a.js', '7', "'7'", 'Number(a.b)'],
  ['a.js', '7', "'7'", '(/^\\d+$/.test(a.b) ? Number(a.b) : a.b)'],
  ['a.js', '{ id: 7.5 }', "{ id: '7.5' }", '(/^-?\\d+(\\.\\d+)?$/.test(a.b) ? Number(a.b) : a.b)'],
  ['a.ts', "'7'", '7', 'String(a.b)'],
  ['a.js', 'true', "'true'", "(a.b === 'true')"],
  ['a.js', 'null', 'undefined', '(a.b ?? null)'],
  ['a.js', "'a\\n'", "'a'", "(a.b + '\\n')"],
  ['a.js', "'a'", "'a\\n'", 'a.b.trimEnd()'],
  ['a.js', "'a b'", "'a  b'", "a.b.trim().replaceAll(/\\s+/g, ' ')"],
  ['a.js', "'AB'", "'ab'", 'a.b.toUpperCase()'],
  ['a.js', "'$3.00'", "'$3'", 'a.b.toFixed(2)'],
  ['a.js', "'1,234.50'", "'1234.5'", "a.b.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })"],
  ['a.js', '0.3', '0.30000000000000004', 'Number(a.b.toFixed(1))'],
  ['a.js', '[1, 2]', '[2, 1]', '[...a.b].sort()'],
  ['a.py', '7', "'7'", 'int(a.b)'],
  ['a.py', '7.5', "'7.5'", 'float(a.b)'],
  ['a.py', "'7'", '7', 'str(a.b)'],
  ['a.py', "'AB'", "'ab'", 'a.b.upper()'],
  ['a.py', "'$3.00'", "'$3'", 'format(a.b, ".2f")'],
  ['a.py', '0.3', '0.30000000000000004', 'round(a.b, 1)'],
  ['a.py', '[1, 2]', '[2, 1]', 'sorted(a.b)'],
])('TINKER-20 in %s what should be %s and is %s may need %s', (path, expected, received, wanted) => {
  expect(conversions(path, expected, received)).toContain(wanted)
})

test('TINKER-20 what is more than one value is put in brackets, and other languages get no conversion', () => {
  expect(conversions('a.js', "'AB'", "'ab'", 'a + b')).toEqual(['(a + b).toUpperCase()'])
  expect(conversions('a.go', '7', '"7"')).toEqual([])
})
