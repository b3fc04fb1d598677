import { expect, test } from 'vitest'
import { fingerprint, FINGERPRINT_LENGTH } from './store-snapshot.ts'

test('STORE-234 every edit of one character gives another fingerprint', () => {
  const text = '{"command":"bin/fast.sh","notes":["ü",null]}'
  const edited = [...text].map((_, index) => `${text.slice(0, index)}#${text.slice(index + 1)}`)
  const found = new Set([text, `${text} `, '', ...edited].map(fingerprint))
  expect(found.size).toBe(text.length + 3)
  for (const each of found) expect(each).toHaveLength(FINGERPRINT_LENGTH)
})
