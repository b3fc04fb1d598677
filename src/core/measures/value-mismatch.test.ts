import { describe, expect, it } from 'vitest'
import { type Difference, valueMismatch } from './value-mismatch.ts'

describe('values that mean the same', () => {
  it.each<[string, string, Difference]>([
    ['123', '"123"', 'type'],
    ['123', "'123'", 'type'],
    ['"true"', 'true', 'type'],
    ['null', '"null"', 'type'],
    ['{ userId: 123 }', '{ userId: "123" }', 'type'],
    ['{ expires: 1750003600, userId: 123 }', "{ expires: 1750003600, userId: '123' }", 'type'],
    ['[1, 2]', '["1", "2"]', 'type'],
    ['"id": 42,', "id: '42',", 'type'],
    ['null', 'undefined', 'missing value'],
    ['None', 'null', 'missing value'],
    ['"a"', '"a\\n"', 'trailing newline'],
    ['a', 'a\n', 'trailing newline'],
    ['"a b"', '"a  b"', 'whitespace'],
    ['"a"', '" a"', 'whitespace'],
    ['"line\\nnext"', '"line next"', 'whitespace'],
    ['"Alice"', '"alice"', 'upper and lower case'],
    ['True', 'true', 'upper and lower case'],
    ['"1,234.50"', '"1234.5"', 'number format'],
    ['"1.234,50"', '"1234.50"', 'number format'],
    ['"$5.00"', '"5"', 'number format'],
    ['1000', '1e3', 'number format'],
    ['0.3', '0.30000000000000004', 'rounding'],
    ['42', '"42.0"', 'number format'],
    ['"2026-01-02"', '"2026-01-02T00:00:00.000Z"', 'date format'],
    ['"2026-01-02T10:00:00Z"', '"2026-01-02T12:00:00+02:00"', 'date format'],
    ['"2026-01-02T10:00:00"', '"2026-01-02T10:00:00+05:00"', 'date format'],
    ['"2026-01-31"', '"31.01.2026"', 'date format'],
    ['"01/31/2026"', '"2026-01-31"', 'date format'],
    ['"2026-01-02T10:00:00Z"', '"2026-01-02"', 'date format'],
    ['1767348000', '"2026-01-02T10:00:00Z"', 'date format'],
    ['{ a: 1, b: { c: 2, d: 3 } }', '{ b: { d: 3, c: 2 }, a: 1 }', 'order of keys'],
    ['[1, 2, 3]', '[3, 1, 2]', 'order of items'],
  ])('CORE-118 %s and %s differ in %s', (expected, received, difference) => {
    expect(valueMismatch(expected, received)?.difference).toBe(difference)
    expect(valueMismatch(received, expected)?.difference).toBe(difference)
  })

  it.each<[string, string]>([
    ['1', '1'],
    ['1', '2'],
    ['"1"', '2'],
    ['"a"', "'a'"],
    ['1000000000', '1000000001'],
    ['9007199254740993', '9007199254740992.5'],
    ['"2026-01-02"', '"2026-01-03"'],
    ['1767348000', '1767348001'],
    ['undefined', '0'],
    ['""', 'undefined'],
    ['{ a: 1 }', '{ a: 1, b: 2 }'],
    ['{ a: "b" }', '{ b: "a" }'],
    ['[1, 2]', '[1, 3]'],
    ['""', '"x"'],
    ['"0.3"', '"0.30000000000000004"'],
  ])('CORE-118 %s and %s do not', (expected, received) => {
    expect(valueMismatch(expected, received)).toBeUndefined()
  })

  it('CORE-118 a sentence names the difference', () => {
    expect(valueMismatch('{ id: 123 }', '{ id: "123" }')?.message).toBe(
      'The test expects the number 123, the code gives the text "123".',
    )
    expect(valueMismatch('{ id: 123 }', '{ id: "123" }')).toMatchObject({ expected: 'id: 123', received: 'id: "123"' })
    expect(valueMismatch('"a"', '"A"')?.message).toBe('They differ only in upper and lower case.')
  })

  it('CORE-140 one clock time in two zones that are both named is two moments', () => {
    expect(valueMismatch('"2024-01-02T00:00:00Z"', '"2024-01-02T00:00:00+01:00"')).toBeUndefined()
    expect(valueMismatch('"2024-01-02T00:00:00-02:00"', '"2024-01-02T00:00:00+01:00"')).toBeUndefined()
    expect(valueMismatch('"2024-01-02T00:00:00Z"', '"2024-01-02T01:00:00+01:00"')?.difference).toBe('date format')
  })

  it('CORE-141 numbers that are nearly the same differ by rounding', () => {
    expect(valueMismatch('0.3', '0.30000000000000004')?.message).toBe('They differ by rounding.')
    expect(valueMismatch('0.3', '0.3000001')).toBeUndefined()
  })

  it('CORE-142 two texts of digits may be versions or codes, and are no numbers', () => {
    expect(valueMismatch('"1.10"', '"1.1"')).toBeUndefined()
    expect(valueMismatch('"0123"', '"123"')).toBeUndefined()
    expect(valueMismatch('1.10', '1.1')?.difference).toBe('number format')
    expect(valueMismatch('"1,000"', '"1000"')?.difference).toBe('number format')
  })

  it('CORE-118 long and strange values are compared in no time', () => {
    const deep = '['.repeat(19_000)
    expect(valueMismatch(deep, `${deep}]`)).toBeUndefined()
    expect(valueMismatch('"'.repeat(19_001), "'".repeat(19_001))).toBeUndefined()
    expect(valueMismatch(`${' '.repeat(19_000)}a`, `${'\t'.repeat(19_000)}b`)).toBeUndefined()
  })
})
