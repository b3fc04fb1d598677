/** The first bytes that are looked at for signs of a binary file. */
const SAMPLE_BYTES = 8192

/** The text of a file's bytes, whatever its encoding, without a byte order mark; `undefined` when they are no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) return undefined
  try {
    return STRICT.decode(bytes)
  } catch {
    // Not UTF-8: of the old encodings this one reads every byte, and quotes in plain letters come out right in all of them.
    return new TextDecoder('latin1').decode(bytes)
  }
}

const STRICT = new TextDecoder('utf-8', { fatal: true })
