import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { pipeline, type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type LoopReading, readLoop } from './backtest/recorded-loop.ts'

/** The recordings files that a path names: itself, or those in the folder, in the order of their names. A folder without any is an error. */
export function recordingFiles(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) {
    const sentence = `There is no file or folder ${path}: name files of recorded loops (.jsonl or .jsonl.gz), a folder of them, or a folder with a .pawl store.`
    throw new PawlError('recording.missing', sentence, { value: path })
  }
  if (!found.isDirectory()) return [path]
  const files = readdirSync(path)
    .filter((name) => RECORDING.test(name))
    .toSorted()
  if (files.length > 0) return files.map((name) => join(path, name))
  const sentence = `There are no recorded loops in ${path}: files of them end in .jsonl or .jsonl.gz, and a project's own runs are in .pawl/pawl.db.`
  throw new PawlError('recording.none', sentence, { value: path })
}

const RECORDING = /\.jsonl(?:\.gz)?$/

/** One line of a recordings file and where it stands. */
export type RecordingLine = LoopReading & { readonly file: string; readonly line: number }

/**
 * Reads a file of recorded loops, one JSON object a line, packed with gzip where its name ends in `.gz`. One line is in memory at a time.
 * Empty lines are passed over. A file that cannot be read, or unpacked, to its end is a `recording.unreadable` error.
 */
export async function* recordingLines(file: string): AsyncGenerator<RecordingLine> {
  const source = createReadStream(file)
  let trouble: Error | undefined
  const fail = (error: Error | null): void => void (trouble ??= error ?? undefined)
  source.on('error', fail)
  const input = file.endsWith('.gz') ? pipeline(source, createGunzip(), atMost(unpackedBytesMax(file)), fail) : source
  let line = 0
  try {
    for await (const text of linesOf(input, LINE_LENGTH_MAX)) {
      line++
      if (text === undefined) throw new Error(`a line has more than ${LINE_LENGTH_MAX} characters`)
      const plain = line === 1 ? withoutMark(text) : text
      if (plain.trim() !== '') yield { file, line, ...readLoop(plain) }
    }
  } catch (error) {
    trouble ??= error as Error
  } finally {
    source.destroy()
  }
  if (!trouble) return
  const sentence = `${file} cannot be read any further than line ${line} (${trouble.message}): it must be JSON lines, packed with gzip only if its name ends in .gz.`
  throw new PawlError('recording.unreadable', sentence, { value: file, cause: trouble })
}

/**
 * How much a packed file may unpack to: as much as its last four bytes say, as gzip writes them. Several packed files in one say only the
 * last one's size, so a multiple that recorded loops never reach is allowed in any case.
 */
function unpackedBytesMax(file: string): number {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size < SIZE_BYTES) return Infinity
  const end = Buffer.alloc(SIZE_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, end, 0, SIZE_BYTES, size - SIZE_BYTES)
  } finally {
    closeSync(descriptor)
  }
  return Math.max(end.readUInt32LE(), size * RATIO_MAX)
}

const SIZE_BYTES = 4
const RATIO_MAX = 200

/** Passes on what it gets, and fails once that is more than `bytesMax`. */
function atMost(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length
      if (bytes > bytesMax) done(new Error(`it unpacks to more than the ${bytesMax} bytes that it says`))
      else done(null, chunk)
    },
  })
}

/** Some programs put a byte order mark before the first letter; it is no part of the text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/**
 * The lines of a stream; `undefined` for one that is longer than `lengthMax`, which is not kept. Cut at line feeds only: other separators
 * may stand inside a JSON text.
 */
export async function* linesOf(input: Readable, lengthMax: number): AsyncGenerator<string | undefined> {
  let open = ''
  let isTooLong = false
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    for (const [index, text] of chunk.split('\n').entries()) {
      if (index > 0) {
        yield isTooLong ? undefined : open
        open = ''
        isTooLong = false
      }
      isTooLong ||= open.length + text.length > lengthMax
      open = isTooLong ? '' : open + text
    }
  }
  yield isTooLong ? undefined : open
}

const LINE_LENGTH_MAX = 64 * 1024 * 1024
