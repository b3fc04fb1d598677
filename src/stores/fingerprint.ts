/** How long a fingerprint is, in characters. */
export const FINGERPRINT_LENGTH = 16

/**
 * A fingerprint that tells a text from one that was edited, not from one that somebody made to fit: its length and 32 bits of what is
 * in it. A hook makes one in every short process, where a sha256 would cost milliseconds: it does not load `node:crypto`.
 */
export function fingerprint(text: string): string {
  const bytes = Buffer.from(text.padEnd(text.length + 3), 'utf8')
  // Copied, so that it begins at a whole word; the padding fills up the last one.
  const words = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength - (bytes.byteLength % 4)))
  const count = words.length
  let mixed = 0
  // Counted by hand: it runs once in a process, before anything of it is compiled.
  for (let index = 0; index < count; index++) mixed = Math.imul(mixed ^ (words[index] as number), 0x5bd1e995) + (mixed >>> 15)
  return hex(bytes.byteLength) + hex(mixed)
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(FINGERPRINT_LENGTH / 2, '0')
}
