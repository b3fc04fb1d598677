import type { Captured } from '../ports/captured.ts'
import { cleanText } from './clean-text.ts'

/** Keeps the head and the tail of a stream of bytes in bounded memory, half of `bytesMax` each. */
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
    return { text: `${headText}${headText.endsWith('\n') ? '' : '\n'}${cutLine}\n${cleanText(tailKept)}`, bytesCut }
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

/** Without a character whose last bytes were cut off. */
function withoutPartialEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Without a character whose first bytes were cut off. */
function withoutPartialStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++
  return bytes.subarray(start)
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
