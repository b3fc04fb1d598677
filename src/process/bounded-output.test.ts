import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedOutput } from './bounded-output.ts'

function capture(chunks: readonly (string | Uint8Array)[], bytesMax: number) {
  const output = new BoundedOutput(bytesMax)
  for (const chunk of chunks) output.push(Buffer.from(chunk as string))
  return output.captured()
}

test('PROC-9 output within the bound is kept whole', () => {
  expect(capture(['one\n', 'two\n'], 8)).toEqual({ text: 'one\ntwo\n', bytesCut: 0 })
  expect(capture([], 8)).toEqual({ text: '', bytesCut: 0 })
})

test('PROC-9 of longer output the head and the tail are kept in whole lines, and a line between them says how much is missing', () => {
  expect(capture(['abc\ndef', 'g'.repeat(1234), 'uv\nxyz'], 10)).toEqual({
    text: 'abc\n[… 1,240 bytes cut …]\nxyz',
    bytesCut: 1240,
  })
})

test('PROC-9 a cut leaves no part of the word it goes through, in a short line or an endless one', () => {
  const secret = 'hunter2-my-odd-key'
  for (const filler of ['so it goes\n', 'so it goes ']) {
    for (let shift = 0; shift < secret.length; shift++) {
      const half = 20_000
      const before = filler.repeat(half).slice(0, half - shift)
      const after = filler.repeat(half).slice(0, half - shift)
      const { text, bytesCut } = capture([`${before}${secret}${'x '.repeat(50_000)}${secret}${after}`], 2 * half)
      expect(bytesCut).toBeGreaterThan(100_000)
      expect(text.length).toBeGreaterThan(half)
      expect(text).not.toMatch(/hunt|-key/)
    }
  }
})

test('PROC-9 a character is never cut in two', () => {
  for (const unit of ['é', '€ ', '😀 ', '€', '😀'])
    for (let shift = 0; shift < 4; shift++)
      expect(capture([`${'a'.repeat(shift)}${unit.repeat(20_000)}`], 20_000).text).not.toContain('\uFFFD')
})

test('PROC-9 however the output comes in pieces, the same is kept, and every byte is either kept or counted', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 60 }), (chunks, bytesMax) => {
      const whole = chunks.join('')
      const captured = capture(chunks, bytesMax)
      expect(captured).toEqual(capture([whole], bytesMax))
      const [head = '', tail] = captured.text.split(/\[… [\d,]+ bytes cut …\]\n/)
      const kept = Buffer.byteLength(head) + Buffer.byteLength(tail ?? '')
      expect(whole.startsWith(head) && whole.endsWith(tail ?? head)).toBe(true)
      expect(kept).toBeLessThanOrEqual(bytesMax + 1)
      expect(kept + captured.bytesCut).toBe(Buffer.byteLength(whole))
    }),
    { numRuns: 300 },
  )
})

test('PROC-10 bytes that are no text become one mark, colours and cursor movements are taken out, line ends are made one kind', () => {
  expect(capture(['a\0\0\u0001b\u001B[31mred\u001B[0m\r\nnext\rover\u0007'], 100).text).toBe('a�bred\nnext\nover�')
  expect(capture([Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x62, 0x09])], 100).text).toBe('a�b\t')
})

test('PROC-10 whatever bytes come, the text is valid Unicode without control characters', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }), (chunks) => {
      const { text } = capture(chunks, 64)
      expect(text.isWellFormed()).toBe(true)
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
    }),
    { numRuns: 300 },
  )
})
