import * as real from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { hash } from './quick-crypto.ts'

it('HOOK-30 the hash that the hook brings along is that of Node, for every length', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = real.randomBytes(length)
    expect(hash('sha256', bytes)).toBe(real.hash('sha256', bytes))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => hash('sha256', text) === real.hash('sha256', text)),
  )
  const long = 'ä'.repeat(300_000)
  expect(hash('sha256', long)).toBe(real.hash('sha256', long))
  expect(hash('sha1', 'a')).toBe(real.hash('sha1', 'a'))
})
