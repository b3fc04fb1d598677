import { expect, test } from 'vitest'
import { textRefsOf } from './text-refs.ts'

const ref = { sha256: 'a'.repeat(64), bytes: 3 }

test.each(['brief', 'output', 'said', 'diff', 'draft'])('CLI-501 the text in %s is found', (field) => {
  expect(textRefsOf({ key: '1/coder/0', [field]: ref })).toEqual([{ field, ref }])
})

test('CLI-501 the text within a question is found', () => {
  expect(textRefsOf({ question: { text: 'Go on?', diff: ref } })).toEqual([{ field: 'diff', ref }])
})

test.each([
  ['what an agent handed over', { value: { output: ref } }],
  ['a configuration', { config: { agent: { settings: { brief: ref } } } }],
  ['words', { said: 'as is' }],
  ['nothing', undefined],
])('CLI-501 %s is no text', (_name, data) => {
  expect(textRefsOf(data)).toEqual([])
})
