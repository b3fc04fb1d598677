import { expect, test } from 'vitest'
import { withMeasured } from './measured-blocks.ts'

const DOCUMENT = 'Before.\n\n<!-- measured: one -->\nold\n<!-- end of measured -->\n\nAfter.\n'

test('ODDS-36 new figures replace the old ones, and nothing else changes', () => {
  const written = withMeasured(DOCUMENT, { one: ['| a |', '|--:|', '| 1 |', ''] })
  expect(written).toBe('Before.\n\n<!-- measured: one -->\n\n| a |\n|--:|\n| 1 |\n\n<!-- end of measured -->\n\nAfter.\n')
  expect(withMeasured(written, { one: ['| a |', '|--:|', '| 1 |'] })).toBe(written)
})

test('ODDS-36 a block without a place, and a place without a block, are errors', () => {
  expect(() => withMeasured(DOCUMENT, { one: [], two: [] })).toThrow('no place for: two')
  expect(() => withMeasured(DOCUMENT, {})).toThrow('"one", which is not measured')
})
