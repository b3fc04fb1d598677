import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { cleanText } from './clean-text.ts'
import { OutputSpool } from './output-spool.ts'
import { readCleanText } from './read-clean-text.ts'
import { temporaryFolder } from '../../test/support/process-support.ts'

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
