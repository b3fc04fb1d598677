import type { Snapshot } from './store.ts'

/** A snapshot as it is kept: the state begins with a fingerprint of the row, so that an edited row is noticed. */
export interface SnapshotRow extends Omit<Snapshot, 'state'> {
  readonly state: string
}

/** What is kept of a snapshot whose state is `text` as JSON. */
export function snapshotRow({ seq, hash, version }: Snapshot, text: string): SnapshotRow {
  return { seq, hash, version, state: fingerprintOf({ seq, hash, version }, text) + text }
}

/**
 * Reads kept snapshots. An edited one is damaged; an edit with a correct fingerprint is only detected by `pawl verify`. `undefined` for a
 * row of an older Pawl, which wrote no fingerprint: the state is folded from the journal instead.
 */
export function snapshotReader(): (row: SnapshotRow | undefined) => Snapshot | undefined {
  /** The row whose fingerprint was verified last: callers load a state more than once. */
  let whole: SnapshotRow | undefined
  return (row) => {
    if (row === undefined || row.state.startsWith('{')) return undefined
    const { seq, hash, version } = row
    const text = row.state.slice(FINGERPRINT_LENGTH)
    if (!(whole && isSame(row, whole)) && !row.state.startsWith(fingerprintOf(row, text)))
      return { seq, hash, version, state: null, isDamaged: true }
    whole = row
    return { seq, hash, version, state: JSON.parse(text) }
  }
}

/** Also covers the event's hash, and with it the run, so that no row can take the place of another. */
function fingerprintOf({ seq, hash, version }: Omit<Snapshot, 'state'>, text: string): string {
  return fingerprint(`${seq} ${hash} ${version} ${text}`)
}

function isSame(one: SnapshotRow, other: SnapshotRow): boolean {
  return one.seq === other.seq && one.hash === other.hash && one.version === other.version && one.state === other.state
}

/** Length of a fingerprint in characters. */
export const FINGERPRINT_LENGTH = 16

/**
 * A fingerprint that detects an edited text, but not one made to match: the length and 32 bits of the content. Every hook process
 * computes one, and a sha256 would cost it milliseconds to load `node:crypto`.
 */
export function fingerprint(text: string): string {
  const bytes = Buffer.from(text.padEnd(text.length + 3), 'utf8')
  // Copied, so that it begins at a whole word; the padding completes the last one.
  const words = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength - (bytes.byteLength % 4)))
  const count = words.length
  let mixed = 0
  // A plain loop: it runs once per process, before anything is compiled.
  for (let index = 0; index < count; index++) mixed = Math.imul(mixed ^ (words[index] as number), 0x5bd1e995) + (mixed >>> 15)
  return hex(bytes.byteLength) + hex(mixed)
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(FINGERPRINT_LENGTH / 2, '0')
}
