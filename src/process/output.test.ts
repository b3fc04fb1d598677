import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { BoundedOutput, cleanText, OutputSpool, readCleanText } from './output.ts'
import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/process-support.ts'

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

const MIB = 1024 * 1024

function inTemporaryFolder(folder: string): void {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}

test('PROC-20 an output is kept whole and clean, in a file without a name', async () => {
  const folder = temporaryFolder()
  inTemporaryFolder(folder)
  const spool = new OutputSpool(8 * MIB)
  const line = 'é \u001B[31mred\u001B[0m\r\n'
  for (let index = 0; index < 3000; index++) spool.push(Buffer.from(line.repeat(100)))
  expect(spool.problem).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
  expect((await spool.text()) === 'é red\n'.repeat(300_000)).toBe(true)
  spool.close()
})

test('PROC-20 a short output needs no file until it is read', async () => {
  inTemporaryFolder('/no/such/folder')
  const spool = new OutputSpool(8 * MIB)
  spool.push(Buffer.from('short'))
  expect(spool.problem).toBeUndefined()
  spool.close()
})

test('PROC-20 an output that is too long, or finds no place, is given up and says why', () => {
  const long = new OutputSpool(MIB)
  long.push(Buffer.alloc(2 * MIB))
  long.push(Buffer.alloc(10))
  expect(long.problem).toContain('longer than 1 MiB')
  inTemporaryFolder('/no/such/folder')
  const placeless = new OutputSpool(8 * MIB)
  placeless.push(Buffer.alloc(2 * MIB))
  expect(placeless.problem).toContain('/no/such/folder')
  placeless.close()
})

test('PROC-21 a text read in pieces is the same as one read at once', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'text')
  const unit = fc.constantFrom('a', '\n', '\r\n', '\r', '€', '😀', '\u001B[1;31m', '\u001B]8;;x\u0007', '"')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 40 }), async (tail, back) => {
      // The end of the first piece falls into the tail.
      const text = `${'x'.repeat(MIB - back)}${tail}`
      writeFileSync(path, text)
      const descriptor = openSync(path, 'r')
      const read = await readCleanText(descriptor, Buffer.byteLength(text))
      closeSync(descriptor)
      expect(read.slice(MIB - back)).toBe(cleanText(text).slice(MIB - back))
    }),
    { numRuns: 40 },
  )
})

test('PROC-21 what a file has beyond the bound is not read, and a mark of the byte order is no text', async () => {
  const path = join(temporaryFolder(), 'text')
  writeFileSync(path, '\uFEFFabcdef')
  const descriptor = openSync(path, 'r')
  expect(await readCleanText(descriptor, 6)).toBe('abc')
  closeSync(descriptor)
})
