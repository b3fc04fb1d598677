import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { PawlError } from '../../core/pawl-error.ts'
import { type Fields, fieldsOf, listOf } from './fields.ts'

/** A line of a transcript: an object, or what is wrong with it. */
export type TranscriptLine =
  | { readonly line: number; readonly fields: Fields }
  | { readonly line: number; readonly problem: string }

/**
 * Reads a transcript, one line in memory at a time; empty lines are passed over, and a line that is longer than `LINE_BYTES_MAX` is not
 * kept. A `.json` file is one document: it comes first without its messages, then each message. A file that cannot be read is a
 * `transcript.unreadable` error.
 */
export async function* transcriptLines(file: string): AsyncGenerator<TranscriptLine> {
  try {
    yield* file.endsWith('.json') ? document(file) : lines(file)
  } catch (error) {
    if (error instanceof PawlError || !isSystemError(error)) throw error
    throw new PawlError('transcript.unreadable', `${file} cannot be read: ${error.message}.`, { value: file, cause: error })
  }
}

/** Longer lines hold pictures or whole repositories: nothing that a guard could use. */
const LINE_BYTES_MAX = 32 * 1024 * 1024
const DOCUMENT_BYTES_MAX = 256 * 1024 * 1024

async function* lines(file: string): AsyncGenerator<TranscriptLine> {
  let line = 0
  let parts: Buffer[] = []
  let bytes = 0
  const taken = (): TranscriptLine | undefined => {
    line++
    const isTooLong = bytes > LINE_BYTES_MAX
    const text = isTooLong ? '' : Buffer.concat(parts).toString('utf8')
    parts = []
    bytes = 0
    if (isTooLong) return { line, problem: `it has more than ${LINE_BYTES_MAX / 1024 / 1024} MB` }
    return text.trim() === '' ? undefined : { line, ...parsed(text) }
  }
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      bytes += end - start
      if (bytes <= LINE_BYTES_MAX) parts.push(chunk.subarray(start, end))
      start = end + 1
      const found = taken()
      if (found) yield found
    }
    bytes += chunk.length - start
    if (bytes <= LINE_BYTES_MAX) parts.push(chunk.subarray(start))
    else parts = []
  }
  const last = bytes === 0 ? undefined : taken()
  if (last) yield last
}

function parsed(text: string): { readonly fields: Fields } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { fields: value as Fields } : { problem: 'it is no JSON object' }
  } catch (error) {
    return { problem: `it is no JSON (${(error as Error).message.slice(0, 100)})` }
  }
}

async function* document(file: string): AsyncGenerator<TranscriptLine> {
  const { size } = await stat(file)
  if (size > DOCUMENT_BYTES_MAX)
    throw new PawlError(
      'transcript.too-large',
      `${file} is one document of ${size} bytes, which is more than can be read at once.`,
    )
  const read = parsed(await readFile(file, 'utf8'))
  if ('problem' in read) return yield { line: 1, ...read }
  const { messages, ...head } = read.fields
  yield { line: 1, fields: head }
  for (const [index, message] of listOf(messages).entries()) yield { line: index + 1, fields: fieldsOf(message) }
  return undefined
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error
}
