import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenLoop } from '../../test/support/given-loop.ts'
import { recordingFiles, type RecordingLine, recordingLines } from './recordings.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-recordings-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const loop = givenLoop([{ passed: false, error: 'no' }])

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function linesOf(path: string): Promise<readonly RecordingLine[]> {
  const lines: RecordingLine[] = []
  for await (const line of recordingLines(path)) lines.push(line)
  return lines
}

describe('recordingLines', () => {
  it('BACK-25 reads JSON lines, packed or not, with the place of each; empty lines are passed over', async () => {
    const text = `${JSON.stringify(loop)}\n\nnonsense\r\n${JSON.stringify({ ...loop, id: 'last' })}`
    for (const path of [file('a.jsonl', text), file('a.jsonl.gz', gzipSync(text))]) {
      const lines = await linesOf(path)
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [1, 'loop'],
        [3, 'malformed'],
        [4, 'loop'],
      ])
      expect(lines[0]).toMatchObject({ file: path, loop: { id: 'loop' } })
    }
  })

  it('BACK-25 a separator of lines that stands inside a text does not end the line', async () => {
    const path = file('separator.jsonl', JSON.stringify({ ...loop, id: 'one\u2028two\u2029three' }))
    expect(await linesOf(path)).toMatchObject([{ line: 1, status: 'loop', loop: { id: 'one\u2028two\u2029three' } }])
  })

  it('SAFE-13 refuses a file that unpacks to more than it says, and reads honest and joined ones', async () => {
    const line = `${JSON.stringify(loop)}\n`
    const many = gzipSync(line.repeat(100_000))
    expect((await linesOf(file('many.jsonl.gz', many))).length).toBe(100_000)
    const joined = Buffer.concat([gzipSync(line), gzipSync(line), gzipSync(line)])
    expect((await linesOf(file('joined.jsonl.gz', joined))).length).toBe(3)
    const lying = Buffer.from(many)
    lying.writeUInt32LE(1000, lying.length - 4)
    let read = 0
    const reading = async (): Promise<void> => {
      for await (const { line: at } of recordingLines(file('lying.jsonl.gz', lying))) read = at
    }
    await expect(reading()).rejects.toThrow(/unpacks to more than the \d+ bytes that it says/)
    // Long before its end.
    expect(read).toBeLessThan(90_000)
  })

  it('BACK-43 a byte order mark at the beginning does not cost the first line, packed or not', async () => {
    const text = `\uFEFF${JSON.stringify(loop)}\n${JSON.stringify({ ...loop, id: 'last' })}\n`
    for (const path of [file('mark.jsonl', text), file('mark.jsonl.gz', gzipSync(text))])
      expect((await linesOf(path)).map(({ line, status }) => [line, status])).toEqual([
        [1, 'loop'],
        [2, 'loop'],
      ])
  })

  it('BACK-26 a packed file that is cut, or not packed at all, is named as such, with how far it could be read', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => JSON.stringify({ ...loop, id: `${index} ${Math.sin(index)}` })).join(
      '\n',
    )
    const packed = gzipSync(text)
    const cut = file('cut.jsonl.gz', packed.subarray(0, packed.length / 2))
    await expect(linesOf(cut)).rejects.toMatchObject({
      code: 'recording.unreadable',
      message: expect.stringContaining(cut) as string,
    })
    const none = file('none.jsonl.gz', text)
    await expect(linesOf(none)).rejects.toThrow('packed with gzip only if its name ends in .gz')
    await expect(linesOf(join(folder, 'gone.jsonl'))).rejects.toMatchObject({ code: 'recording.unreadable' })
  })

  it('BACK-26 whoever reads only the beginning leaves no file open', async () => {
    const path = file('long.jsonl', `${JSON.stringify(loop)}\n`.repeat(5000))
    const reading = recordingLines(path)
    expect((await reading.next()).value).toMatchObject({ line: 1, status: 'loop' })
    await reading.return(undefined)
    expect(await reading.next()).toEqual({ value: undefined, done: true })
  })
})

describe('recordingFiles', () => {
  it('BACK-27 a folder stands for the recordings in it, by name, and for no other file', () => {
    const inside = join(folder, 'inside')
    mkdirSync(inside)
    for (const name of ['b.jsonl.gz', 'a.jsonl', 'sealed.bin', 'README.md']) writeFileSync(join(inside, name), '')
    expect(recordingFiles(inside)).toEqual([join(inside, 'a.jsonl'), join(inside, 'b.jsonl.gz')])
    expect(recordingFiles(join(inside, 'a.jsonl'))).toEqual([join(inside, 'a.jsonl')])
  })

  it('BACK-27 what is missing, and a folder without recordings, are named in plain words', () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(() => recordingFiles(empty)).toThrow(/no recorded loops in .*empty: files of them end in \.jsonl or \.jsonl\.gz/)
    expect(() => recordingFiles(join(folder, 'nowhere'))).toThrow(/no file or folder .*nowhere: name files of recorded loops/)
  })
})
