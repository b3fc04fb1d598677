import { describe, expect, test } from 'vitest'
import { cappedDiff } from './capped-diff.ts'

describe('cappedDiff', () => {
  test('WORK-62 a text within the caps comes back whole, however it was cut into chunks', async () => {
    const text = 'diff --git a/x b/x\n+é\n-ä\n'
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size += 1) {
      expect(await cappedDiff(chunks(bytes, size))).toEqual({ text, bytesCut: 0 })
    }
  })

  test('WORK-62 a long file is cut at a line end and leaves room for those after it', async () => {
    const long = `diff --git a/long b/long\n${'+0123456789\n'.repeat(100)}`
    const short = 'diff --git a/short b/short\n+s\n'
    const { text, bytesCut } = await cappedDiff([Buffer.from(long + short)], { fileBytesMax: 100 })
    expect(text).toBe(`diff --git a/long b/long\n${'+0123456789\n'.repeat(6)}${short}`)
    expect(bytesCut).toBe(94 * 12)
  })

  test('WORK-62 the whole is capped too, and a line longer than the cap is counted and not collected', async () => {
    const huge = `diff --git a/huge b/huge\n+${'x'.repeat(5000)}\n`
    const { text, bytesCut } = await cappedDiff(chunks(Buffer.from(huge + huge), 64), { bytesMax: 40, fileBytesMax: 1000 })
    expect(text).toBe('diff --git a/huge b/huge\n')
    expect(bytesCut).toBe(2 * huge.length - text.length)
  })
})

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}
