import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical } from './canonical.ts'

test('JOURNAL-1 the canonical text has sorted keys, no spaces and no undefined fields', () => {
  expect(canonical({ b: [1, { z: null, a: undefined, y: 'ä"\n' }], a: true, 10: 'x', 9: 'y' })).toBe(
    '{"10":"x","9":"y","a":true,"b":[1,{"y":"ä\\"\\n","z":null}]}',
  )
})

test('JOURNAL-1 what JSON does not know becomes null', () => {
  expect(canonical([Number.NaN, Infinity, undefined, -0])).toBe('[null,null,null,0]')
})

test('JOURNAL-2 equal data gives equal text, whatever the order of its keys, and the text reads back as the data', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
      const text = canonical(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonical(JSON.parse(text))).toBe(text)
      expect(canonical(reversed(value))).toBe(text)
    }),
  )
})

test('JOURNAL-2 an object of many keys is sorted too', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`)
  const shuffled = Object.fromEntries(keys.map((key) => [key, 1]))
  expect(Object.keys(JSON.parse(canonical(shuffled)))).toEqual(keys.toSorted())
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, reversed(each)])
  return Object.fromEntries(entries.toReversed())
}
