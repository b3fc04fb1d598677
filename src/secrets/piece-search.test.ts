import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { pieceSearch } from './piece-search.ts'

test('SECRET-3 one pass finds whatever a search for each piece finds, however they overlap', () => {
  const isFound = pieceSearch([
    ['a', 'a', 'bc'],
    ['a', 'b', 'a', 'b'],
    ['-_', 'b'],
    Array.from('cab'),
    ['b', 'b', 'b', 'b', ' ='],
  ])
  const pattern = /aa[bc]|abab|[-_]b|cab|bbbb[ =]/i
  const missed = fc.check(
    fc.property(fc.string({ unit: fc.constantFrom(...'abcABC-_ =') }), (text) => {
      const bytes = Buffer.from(`${text}aab`)
      return isFound(bytes, text.length) === pattern.test(text)
    }),
    { numRuns: 20_000 },
  )
  expect(missed.counterexample).toBeNull()
})

test('SECRET-3 as many characters as there are bits can be told apart', () => {
  const isFound = pieceSearch([Array.from('abcdefgh'), Array.from('ijklmnop'), Array.from('qrstuvwx'), Array.from('yz012345')])
  const found = (text: string): boolean => isFound(Buffer.from(text), text.length)
  expect(['-ABCDEFGH', 'xijklmnop', 'qqrstuvwx', 'yz012345'].filter(found)).toHaveLength(4)
  expect(['bcdefgh', 'hijklmno', 'yz01234', '345'].filter(found)).toEqual([])
})
