import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasSecretHint } from './hint.ts'
import { findByOwnRules } from './rules.ts'

test('SECRET-3 the cheap hint misses nothing that the rules find, however words, signs, capitals and tokens are put together', () => {
  const text = fc
    .array(fc.tuple(fc.constantFrom(...PIECES), fc.boolean()), { minLength: 1, maxLength: 12 })
    .map((pieces) => pieces.map(([piece, isLoud]) => (isLoud ? piece.toUpperCase() : piece)).join(''))
  const missed = fc.check(
    fc.property(text, (each) => !isMissed(each)),
    { numRuns: 3000 },
  )
  expect(missed.counterexample).toBeNull()
})

function isMissed(text: string): boolean {
  return findByOwnRules(text).length > 0 && !hasSecretHint(text)
}

/** What secrets, and what only looks like them, are made of. */
const PIECES =
  `pass|word|wd|phrase|pwd|secret|token|api|access|key|base|private key|authorization|bearer |basic |_|-|--|=|: |:| |"|'|
|, |://|@|[|]|{|}|hunter22|correct horse|a1b2c3d4e5f6g7h8|AbCdEf123456GhIjKl|the user id|src/login.ts|ghp_|AKIA|sk-ant-|_prod|2|curl |-u |me:hunter22|<|>|</|/|machine |login |%3D|[32m|\u001b[1m`.split(
    '|',
  )

test('SECRET-3 an address whose slashes are escaped is seen, too', () => {
  expect(hasSecretHint(String.raw`{"database":"postgres:\/\/app:hunter-two@db"}`)).toBe(true)
  expect(hasSecretHint(String.raw`{"home":"https:\/\/example.org\/app"}`)).toBe(false)
})
