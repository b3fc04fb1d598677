import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type LoopReading, readLoop } from '../backtest/read-loop.ts'
import { PawlError } from '../../core/pawl-error.ts'

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
  const input = file.endsWith('.gz') ? pipeline(source, createGunzip(), fail) : source
  let line = 0
  try {
    for await (const text of linesOf(input)) {
      line++
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

/** Some programs put a byte order mark before the first letter; it is no part of the text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Cut at line feeds only: other separators may stand inside a JSON text. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX) throw new Error(`a line has more than ${LINE_LENGTH_MAX} characters`)
    yield* lines
  }
  yield rest
}

const LINE_LENGTH_MAX = 64 * 1024 * 1024
