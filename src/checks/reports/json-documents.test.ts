import { expect, test } from 'vitest'
import { jsonDocuments } from './json-documents.ts'

const START = /^\{"a":/gm
const read = (text: string) => jsonDocuments(text, START)

test('REPORT-106 documents are found among other lines, on one line or indented', () => {
  expect(read('{"a":1}')).toEqual({ values: [{ a: 1 }] })
  expect(read('> npm test\n{"a":1}\nDone.\n')).toEqual({ values: [{ a: 1 }] })
  expect(read('{"a":\n {"b": 2}\n}\nDone { or so }\n')).toEqual({ values: [{ a: { b: 2 } }] })
  expect(read('{"a":1}\nbetween\n{"a":2}\n')).toEqual({ values: [{ a: 1 }, { a: 2 }] })
  expect(read('{"a":1} and more on this line')).toEqual({ values: [{ a: 1 }] })
  expect(read('nothing\n {"b":1}')).toBeUndefined()
})

test.each<[text: string, value: unknown]>([
  ['{"a":[{"b":1},{"b":2},{"b":', { a: [{ b: 1 }, { b: 2 }] }],
  ['{"a":[{"b":"x, }] \\" y"},{"c":"cut', { a: [{ b: 'x, }] " y' }] }],
  ['{"a":[1,2\n[… 9 bytes cut …]\n3]}', { a: [1] }],
  ['{"a":[{"b":1}]]', { a: [{ b: 1 }] }],
])('REPORT-106 of %j the readable beginning is given, and that it is broken', (text, value) => {
  expect(read(text)).toEqual({ values: [value], trouble: expect.stringContaining('cut off or broken') })
})

test('REPORT-106 a broken document does not hide the next one', () => {
  expect(read('{"a":[1,\n{"a":2}')).toEqual({ values: [{ a: [1] }, { a: 2 }], trouble: expect.any(String) })
})
