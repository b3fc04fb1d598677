import { hash } from 'node:crypto'
import type { TextRef } from '../core/event-data.ts'

/** The reference to a text that nobody keeps: it can be told from others by its hash. */
export function textRef(text: string): TextRef {
  return { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) }
}
