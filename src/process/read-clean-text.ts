import { read } from 'node:fs'
import { promisify, TextDecoder } from 'node:util'
import { cleanText } from './clean-text.ts'

/**
 * The first `bytesMax` bytes of an open file as clean text (see `cleanText`), UTF-8 or, with a byte order mark, UTF-16. It is read
 * in pieces, so that no second copy of the bytes is held.
 */
export async function readCleanText(descriptor: number, bytesMax: number): Promise<string> {
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, Math.max(1, bytesMax)))
  const cleaned: string[] = []
  let decoder: TextDecoder | undefined
  let kept = ''
  let position = 0
  while (position < bytesMax) {
    const { bytesRead } = await readAsync(descriptor, piece, 0, Math.min(piece.length, bytesMax - position), position)
    if (bytesRead === 0) break
    const bytes = piece.subarray(0, bytesRead)
    decoder ??= new TextDecoder(encodingOf(bytes))
    const text = kept + decoder.decode(bytes, { stream: true })
    const end = safeEnd(text)
    cleaned.push(cleanText(text.slice(0, end)))
    kept = text.slice(end)
    position += bytesRead
  }
  cleaned.push(cleanText(kept + (decoder?.decode() ?? '')))
  return cleaned.join('')
}

const readAsync = promisify(read)
const PIECE_BYTES = 1024 * 1024

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

const ESCAPE_CHARACTERS_MAX = 256

/** Where a piece can be cut: not within a line end of two characters, nor within a colour or a cursor movement. */
function safeEnd(text: string): number {
  const nearStart = Math.max(0, text.length - ESCAPE_CHARACTERS_MAX)
  // oxlint-disable-next-line no-control-regex
  const first = text.slice(nearStart).search(/[\r\u001B\u009B]/)
  if (first === -1) return text.length
  return text[nearStart + first - 1] === '\r' ? nearStart + first - 1 : nearStart + first
}
