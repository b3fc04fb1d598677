import { expect, test } from 'vitest'
import { cutSnippet } from './answer.ts'

test('RES-77 a long quotation is cut between two words, so that what is left stands in the file', () => {
  expect(cutSnippet('return token(user)', 40)).toBe('return token(user)')
  expect(cutSnippet('return token(user)', 10)).toBe('return')
  expect(cutSnippet('return token(user)', 12)).toBe('return token')
  expect(cutSnippet('return token(user)', 13)).toBe('return token(')
  expect(cutSnippet('a'.repeat(50), 10)).toBe('a'.repeat(10))
})
