import type { Captured } from './captured.ts'
import { cleanText } from './clean-text.ts'

/**
 * Keeps the head and the tail of a stream of bytes in bounded memory, at most half of `bytesMax` each. The lines that the cut goes through
 * are left out whole: half a secret is not known for one any more.
 */
export class BoundedOutput {
  readonly #half: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer | undefined
  /** Bytes that went past the head. */
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

  /** What was kept, as text; a line in the middle says how much was not. */
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

  /** Small chunks are joined now and then: a program that writes single characters must not cost an object for each. */
  #pushHead(chunk: Buffer): void {
    this.#head.push(Buffer.from(chunk))
    this.#headBytes += chunk.length
    if (this.#head.length >= 256) this.#head.splice(0, this.#head.length, Buffer.concat(this.#head))
  }

  /** The tail is a ring: writing goes round and overwrites what is oldest. */
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

/** Without a line whose end was cut off. Where that is very long, without what may belong to a secret in it. */
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

/** What hardly any secret has in it. */
const GAPS: Buffer = Buffer.from(' \t\r\n"\',;')

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
