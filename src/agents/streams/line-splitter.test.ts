import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './stream-reading.ts'

function linesOf(text: string, sizes: readonly number[], bytesMax?: number) {
  const lines: string[] = []
  const splitter = new LineSplitter((line) => lines.push(line), bytesMax)
  const bytes = Buffer.from(text)
  let start = 0
  for (const size of [...sizes, bytes.length]) {
    splitter.push(bytes.subarray(start, start + size))
    start += size
  }
  splitter.end()
  return { lines, tooLong: splitter.tooLong }
}

test('DRIVE-12 lines are the same in whatever pieces they come, also in the middle of a character', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[aö\u{1F600}]{1,9}$/u)), fc.array(fc.nat(7)), (wanted, sizes) => {
      expect(linesOf(wanted.join('\n'), sizes).lines).toEqual(wanted)
    }),
    { numRuns: 200 },
  )
})

test('DRIVE-12 a line that is too long is passed over and counted, and the next one is read', () => {
  expect(linesOf(`ab\r\n${'x'.repeat(50)}\n\ncd\n${'y'.repeat(11)}`, [3, 1, 20], 10)).toEqual({ lines: ['ab', 'cd'], tooLong: 2 })
})
