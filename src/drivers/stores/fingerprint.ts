/** How long a fingerprint is, in characters. */
export const FINGERPRINT_LENGTH = 16

/**
 * A fingerprint of 64 bits that tells a text from one that was edited, not from one that somebody made to fit. A hook looks at one in
 * every short process, where a sha256 costs milliseconds: it does not load `node:crypto`.
 */
export function fingerprint(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  let one = bytes.byteLength
  let other = ~bytes.byteLength
  const words = bytes.byteLength - (bytes.byteLength % 4)
  // Copied, so that it begins at a whole word.
  for (const word of new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + words))) {
    one = Math.imul(one ^ word, 0x01000193)
    one ^= one >>> 15
    other = Math.imul(other + word, 0x85ebca6b)
    other ^= other >>> 13
  }
  for (const byte of bytes.subarray(words)) {
    one = Math.imul(one ^ byte, 0x01000193)
    other = Math.imul(other + byte, 0x85ebca6b)
  }
  return hex(one) + hex(other)
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(FINGERPRINT_LENGTH / 2, '0')
}
