import type { Captured } from '../process/output.ts'

export interface DiffCaps {
  /** Of the whole text; default 256 KB. */
  readonly bytesMax?: number
  /** Of one file's part, so that a lock file cannot hide the code; default 64 KB. */
  readonly fileBytesMax?: number
}

/** Reads a unified diff in chunks and keeps whole lines within the caps; `bytesCut` counts the rest. */
export async function cappedDiff(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, caps: DiffCaps = {}): Promise<Captured> {
  const { bytesMax = 256 * 1024, fileBytesMax = 64 * 1024 } = caps
  const kept: Buffer[] = []
  let bytes = 0
  let fileBytes = 0
  let bytesCut = 0
  let fileIsFull = false
  for await (const line of lines(chunks, fileBytesMax)) {
    if (line.head.subarray(0, FILE_START.length).equals(FILE_START)) {
      fileBytes = 0
      fileIsFull = false
    }
    fileIsFull ||= fileBytes + line.bytes > fileBytesMax || bytes + line.bytes > bytesMax
    if (fileIsFull) {
      bytesCut += line.bytes
    } else {
      kept.push(line.head)
      bytes += line.bytes
      fileBytes += line.bytes
    }
  }
  return { text: Buffer.concat(kept).toString('utf8'), bytesCut }
}

const FILE_START = Buffer.from('diff --git ')
const NEWLINE = 10

interface Line {
  /** The line with its end; of a line longer than the cap only its beginning. */
  readonly head: Buffer
  readonly bytes: number
}

/** Cuts chunks into lines. A line that could never be kept is counted, not collected: a generated file may be one of 500 MB. */
async function* lines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, headBytesMax: number): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start)
      const end = newline === -1 ? chunk.length : newline + 1
      const part = chunk.subarray(start, end)
      if (bytes <= headBytesMax) parts.push(part)
      bytes += part.length
      start = end
      if (newline === -1) continue
      yield { head: parts.length === 1 ? parts[0]! : Buffer.concat(parts), bytes }
      parts = []
      bytes = 0
    }
  }
  if (bytes > 0) yield { head: Buffer.concat(parts), bytes }
}
