import { expect, test } from 'vitest'
import { factsWords } from './reason-lines.ts'

test.each([
  [[], ''],
  [[41], 'fact 41'],
  [[41, 12, 25], 'facts 12, 25 and 41'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'facts 3, 4, 5, 6, 7, 8, 9, 10 and 2 earlier'],
])('CLI-220 the facts %j that something rests on are told as "%s"', (seqs, words) => {
  expect(factsWords(seqs)).toBe(words)
})
