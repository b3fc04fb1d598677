type Crypto = typeof import('node:crypto')

/**
 * Stands in for `node:crypto` in the hook's bundle: loading that costs as much as a quarter of starting Node, and a hook only hashes
 * short texts. Whatever is long or of another kind is left to the real one.
 */
export function hash(algorithm: string, data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data
  if (algorithm !== 'sha256' || bytes.length > BYTES_MAX) return real().hash(algorithm, bytes)
  return sha256(bytes)
}

/** The real thing, loaded when first needed. @public */
export const createHash: Crypto['createHash'] = (...args) => real().createHash(...args)

/** The real thing, loaded when first needed. @public */
export const randomUUID: Crypto['randomUUID'] = (...args) => real().randomUUID(...args)

const encoder = new TextEncoder()

/** Above this the real one is quicker, its loading included. */
const BYTES_MAX = 200_000

function real(): Crypto {
  return process.getBuiltinModule('node:crypto')
}

/** FIPS 180-4, in hexadecimal. */
function sha256(bytes: Uint8Array): string {
  const state = Int32Array.from(INITIAL)
  const whole = bytes.length - (bytes.length % 64)
  const words = new Int32Array(64)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let offset = 0; offset < whole; offset += 64) mix(state, words, view, offset)
  const rest = new Uint8Array(bytes.length - whole < 56 ? 64 : 128)
  rest.set(bytes.subarray(whole))
  rest[bytes.length - whole] = 0x80
  const last = new DataView(rest.buffer)
  last.setUint32(rest.length - 8, Math.floor(bytes.length / 0x2000_0000))
  last.setUint32(rest.length - 4, bytes.length << 3)
  for (let offset = 0; offset < rest.length; offset += 64) mix(state, words, last, offset)
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Written out instead of with small functions: it runs a few times in each process, before anything of it is compiled. */
function mix(state: Int32Array, words: Int32Array, view: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + index * 4)
  for (let index = 16; index < 64; index++) {
    const x = words[index - 15] as number
    const y = words[index - 2] as number
    const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[index] = (words[index - 16] as number) + small + (words[index - 7] as number) + large
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let index = 0; index < 64; index++) {
    const large = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + large + ((e & f) ^ (~e & g)) + (ROUNDS[index] as number) + (words[index] as number)) | 0
    const small = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + small + ((b & c) ^ (b & d) ^ (c & d))) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index++) state[index] = (state[index] as number) + (mixed[index] as number)
}

/** The first 32 bits of the fractional parts of the roots of the first primes: square roots to begin with, cube roots for the rounds. */
const PRIMES = primes(64)
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = Int32Array.from(PRIMES.map((prime) => fraction(Math.cbrt(prime))))

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}
