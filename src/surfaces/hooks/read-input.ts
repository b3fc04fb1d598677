import { readSync } from 'node:fs'

/**
 * All of standard input, which an agent closes right away; throws when it is longer than `bytesMax`. Neither as a stream, which loads
 * a lot, nor in the background, which starts threads: an agent waits. What it does not close, it ends by its own time limit.
 */
export async function readInput(bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  for (let bytes = 0; bytes <= bytesMax;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const count = nextBytes(chunk)
    if (count === 0) return Buffer.concat(chunks).toString('utf8')
    if (count === undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    else chunks.push(chunk.subarray(0, count))
    bytes += count ?? 0
  }
  throw new Error(`standard input is longer than ${bytesMax} bytes`)
}

const CHUNK_BYTES = 64 * 1024
const PAUSE_MS = 5

/** How many bytes came; 0 at the end, `undefined` when there are none yet. */
function nextBytes(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk, 0, CHUNK_BYTES, null)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return undefined
    if (code === 'EOF') return 0
    throw error
  }
}
