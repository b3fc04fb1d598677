import { closeSync, mkdtempSync, openSync, read, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters, TextDecoder } from 'node:util'

/** Text that a process or tool produced: head and tail, if it was too long. */
export interface Captured {
  readonly text: string
  /** How many bytes were cut between head and tail. */
  readonly bytesCut: number
}

/**
 * A program's output as text that can be stored, shown and parsed: valid Unicode, no colours or cursor movements, `\n` for every
 * line end, and one `�` for every run of bytes that aren't text.
 */
export function cleanText(bytes: Buffer | string): string {
  return stripVTControlCharacters(bytes.toString()).replaceAll(/\r\n?/g, '\n').replaceAll(NOT_TEXT, '\uFFFD')
}

/** Control characters other than tab and line end, and bytes that could not be decoded. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFD]+/g

/**
 * The first `bytesMax` bytes of an open file as clean text (see `cleanText`), from UTF-8 or, with a byte order mark, UTF-16. Reads
 * piece by piece, so that memory never holds a second copy of the bytes.
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

/** Where a piece can be cut: not within `\r\n`, nor within an escape sequence. */
function safeEnd(text: string): number {
  const nearStart = Math.max(0, text.length - ESCAPE_CHARACTERS_MAX)
  // oxlint-disable-next-line no-control-regex
  const first = text.slice(nearStart).search(/[\r\u001B\u009B]/)
  if (first === -1) return text.length
  return text[nearStart + first - 1] === '\r' ? nearStart + first - 1 : nearStart + first
}

/**
 * Keeps the head and the tail of a byte stream in bounded memory, at most half of `bytesMax` each. Lines that would be cut are left out
 * completely, because half a secret can't be recognized.
 */
export class BoundedOutput {
  readonly #half: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer | undefined
  /** How many bytes came after the head. */
  #tailBytes = 0

  constructor(bytesMax: number) {
    this.#half = Math.max(1, Math.ceil(bytesMax / 2))
  }

  get bytes(): number {
    return this.#headBytes + this.#tailBytes
  }

  push(chunk: Buffer): void {
    const forHead = chunk.subarray(0, this.#half - this.#headBytes)
    if (forHead.length > 0) this.#pushHead(forHead)
    if (forHead.length < chunk.length) this.#pushTail(chunk.subarray(forHead.length))
  }

  /** Head and tail as text, with a line between them that says how much was cut. */
  captured(): Captured {
    const head = Buffer.concat(this.#head)
    if (this.#tail === undefined) return { text: cleanText(head), bytesCut: 0 }
    if (this.#tailBytes <= this.#half) return { text: cleanText(Buffer.concat([head, this.#tailInOrder()])), bytesCut: 0 }
    const headKept = withoutPartialEnd(head)
    const tailKept = withoutPartialStart(this.#tailInOrder())
    const bytesCut = this.bytes - headKept.length - tailKept.length
    const cutLine = `[… ${bytesCut.toLocaleString('en-US')} bytes cut …]`
    const headText = cleanText(headKept)
    return {
      text: `${headText}${headText === '' || headText.endsWith('\n') ? '' : '\n'}${cutLine}\n${cleanText(tailKept)}`,
      bytesCut,
    }
  }

  /** Joins small chunks now and then, so that a program that writes single characters doesn't cost an object for each. */
  #pushHead(chunk: Buffer): void {
    this.#head.push(Buffer.from(chunk))
    this.#headBytes += chunk.length
    if (this.#head.length >= 256) this.#head.splice(0, this.#head.length, Buffer.concat(this.#head))
  }

  /** The tail is a ring buffer: it overwrites the oldest bytes. */
  #pushTail(chunk: Buffer): void {
    this.#tail ??= Buffer.alloc(this.#half)
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#half))
    const start = (this.#tailBytes + chunk.length - kept.length) % this.#half
    const copied = kept.copy(this.#tail, start)
    kept.copy(this.#tail, 0, copied)
    this.#tailBytes += chunk.length
  }

  #tailInOrder(): Buffer {
    const tail = this.#tail ?? Buffer.alloc(0)
    if (this.#tailBytes <= this.#half) return tail.subarray(0, this.#tailBytes)
    const start = this.#tailBytes % this.#half
    return Buffer.concat([tail.subarray(start), tail.subarray(0, start)])
  }
}

/** Drops a line whose end was cut off. If it is very long, drops only what may belong to a secret. */
function withoutPartialEnd(bytes: Buffer): Buffer {
  const lineStart = bytes.lastIndexOf(NEWLINE) + 1
  if (bytes.length - lineStart <= LINE_BYTES_MAX) return bytes.subarray(0, lineStart)
  let end = bytes.length - MARGIN
  const endMin = bytes.length - LINE_BYTES_MAX
  while (end > endMin && !GAPS.includes(bytes[end - 1] ?? 0)) end--
  while (isContinuation(bytes[end] ?? 0)) end--
  return bytes.subarray(0, end)
}

/** The same for a line whose beginning was cut off. */
function withoutPartialStart(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(NEWLINE)
  const length = lineEnd === -1 ? bytes.length : lineEnd
  if (length <= LINE_BYTES_MAX) return bytes.subarray(length + 1)
  let start = MARGIN
  while (start < LINE_BYTES_MAX && !GAPS.includes(bytes[start] ?? 0)) start++
  while (isContinuation(bytes[start] ?? 0)) start++
  return bytes.subarray(start)
}

const NEWLINE = 10
const LINE_BYTES_MAX = 4096
const MARGIN = 400

/** Characters that hardly any secret contains. */
const GAPS: Buffer = Buffer.from(' \t\r\n"\',;')

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/**
 * Keeps a program's whole output for a parser: a little in memory, more in a temporary file. The file is unlinked as soon as it is
 * open, so that nothing is left behind even after a crash. Above `bytesMax` it keeps nothing.
 */
export class OutputSpool {
  readonly #bytesMax: number
  #bytes = 0
  #memory: Buffer[] = []
  #descriptor: number | undefined
  #problem: string | undefined

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  push(bytes: Buffer): void {
    if (this.#problem !== undefined) return
    this.#bytes += bytes.length
    if (this.#bytes > this.#bytesMax) return this.#giveUp(`it is longer than ${this.#bytesMax / 1024 / 1024} MiB`)
    if (this.#descriptor === undefined && this.#bytes <= MEMORY_BYTES_MAX) {
      this.#memory.push(Buffer.from(bytes))
      return
    }
    try {
      this.#descriptor ??= this.#spill()
      writeWhole(this.#descriptor, bytes)
    } catch (error) {
      this.#giveUp(`it could not be kept in ${tmpdir()} (${(error as Error).message})`)
    }
  }

  /** Why `text` isn't available; `undefined` if it is. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The whole output as clean text. */
  async text(): Promise<string> {
    if (this.#descriptor === undefined) this.#descriptor = this.#spill()
    return readCleanText(this.#descriptor, this.#bytes)
  }

  /** Frees the file. Don't read afterwards. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#memory = []
  }

  #spill(): number {
    const descriptor = openUnnamed()
    for (const bytes of this.#memory) writeWhole(descriptor, bytes)
    this.#memory = []
    return descriptor
  }

  #giveUp(problem: string): void {
    this.#problem = problem
    this.close()
  }
}

/** About as much as is kept of every output anyway; most outputs are shorter and need no file. */
const MEMORY_BYTES_MAX = 512 * 1024

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-spool-'))
  try {
    return openSync(join(folder, 'output'), 'wx+', 0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written)
}
