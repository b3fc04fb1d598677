import { hash } from 'node:crypto'
import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { canonical } from './canonical.ts'

/** What is before the first event of every run. */
export const GENESIS = '0'.repeat(64)

/** The hash of an event, as hex: sha256 over the hash before it and the canonical text of everything but `hash` itself. */
export function chainHash(previousHash: string, event: Omit<StoredEvent, 'hash'>): string {
  return chainHashOfText(previousHash, canonical({ ...event, hash: undefined }))
}

/** The same for an event whose canonical text is at hand. */
export function chainHashOfText(previousHash: string, text: string): string {
  return hash('sha256', previousHash + text)
}

export type ChainVerdict =
  | { readonly ok: true; readonly seq: Seq; readonly hash: string }
  /** `seq` is the first place where the journal is not what was written; `message` says what is wrong there. */
  | { readonly ok: false; readonly seq: Seq; readonly message: string }

/**
 * Says whether a run's journal, from its first event on, is what was written: nothing changed, removed from within, put in or
 * moved. Give it the events as stored: upcasting changes them. `run` is the run they are to be of; without it that is whatever the
 * first one says. An end that was cut off cannot be seen in what is left; compare `seq` and `hash` with a copy kept elsewhere.
 */
export function verifyChain(events: readonly StoredEvent[], run: RunId | undefined = events[0]?.run): ChainVerdict {
  let seq = 0
  let previousHash = GENESIS
  for (const event of events) {
    const expected = seq + 1
    const message = whatIsWrong(event, expected, previousHash, run)
    if (message !== undefined) return { ok: false, seq: expected, message }
    seq = expected
    previousHash = event.hash
  }
  return { ok: true, seq, hash: previousHash }
}

function whatIsWrong(event: StoredEvent, expected: Seq, previousHash: string, run: string | undefined): string | undefined {
  if (event.seq > expected) {
    const missing = event.seq - 1 === expected ? `Event ${expected} is` : `Events ${expected} to ${event.seq - 1} are`
    return `${missing} missing: event ${event.seq} follows event ${expected - 1}.`
  }
  if (event.seq < expected) return `Event ${event.seq} is out of order: event ${expected} belongs here.`
  if (event.run !== run) return `Event ${expected} belongs to the run "${event.run}", not to "${run}".`
  if (event.hash === chainHash(previousHash, event)) return undefined
  return `Event ${expected} was changed, or the one before it was replaced, after it was written: its hash does not fit.`
}
