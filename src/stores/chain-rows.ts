import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { chainHashOfText, GENESIS } from '../journal/hash-chain.ts'

/** An event that is not what was written, and what is wrong with it. */
export interface WrongEvent {
  readonly seq: Seq
  readonly what: string
}

/** An event as it is kept. */
export interface ChainRow {
  readonly seq: Seq
  readonly hash: Uint8Array
  readonly event: string
}

/** `drivenTo` is the last event that the holder knows: only people may have added later ones. */
export function wrongIn(
  rows: readonly ChainRow[],
  last: { readonly seq: Seq; readonly hash: string } | undefined,
  drivenTo: Seq | undefined,
): WrongEvent | undefined {
  let before: ChainRow | undefined
  for (const row of rows) {
    const { seq } = row
    if (before && seq !== before.seq + 1) return { seq: before.seq + 1, what: 'is gone' }
    const previous = before ? toHex(before.hash) : seq === 1 ? GENESIS : undefined
    const isChanged = previous !== undefined && chainHashOfText(previous, row.event) !== toHex(row.hash)
    if (isChanged || (last?.seq === seq && last.hash !== toHex(row.hash))) return { seq, what: 'is not what was written' }
    if (drivenTo !== undefined && seq > drivenTo && roleOf(row) !== 'person') return { seq, what: 'was put in by someone else' }
    before = row
  }
  return undefined
}

function roleOf({ event }: ChainRow): unknown {
  return (JSON.parse(event) as { by?: { role?: unknown } }).by?.role
}

/** The event in a row. `what` is what to bring back a copy of if it is damaged. */
export function readChainRow({ hash, event }: Omit<ChainRow, 'seq'>, run: RunId, where: string, what: string): StoredEvent {
  try {
    const parsed = JSON.parse(event)
    if (typeof parsed.type !== 'string' || typeof parsed.data !== 'object') throw new TypeError('It is no event.')
    parsed.hash = toHex(hash)
    return parsed
  } catch (cause) {
    throw new PawlError(
      'store.corrupt',
      `An event of the run "${run}" in ${where} is damaged: bring back a copy of the ${what}.`,
      {
        value: event,
        cause,
      },
    )
  }
}

/** A journal that something other than Pawl changed: nothing more is written to it. */
export function tamperedJournal(where: string, what: string, run: RunId, wrong: WrongEvent): PawlError {
  const message = `Event ${wrong.seq} of the run "${run}" in ${where} ${wrong.what}: something other than Pawl has changed the journal, so nothing more is written to it. Look at it with "pawl verify ${run}" and bring back a copy of the ${what}.`
  return new PawlError('store.tampered', message, { value: { run, seq: wrong.seq } })
}

/** Bytes as hexadecimal digits, without copying them first. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
