import { hash } from 'node:crypto'
import type { TextRef } from '../../../core/event-data.ts'
import type { Seq } from '../../../core/event.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { verifyChain } from '../../../journal/hash-chain.ts'
import type { StoredEvent } from '../../../core/stored-event.ts'
import type { Store } from '../../../ports/store.ts'

/** What checking one run came to. */
export interface Verification {
  readonly run: string
  readonly ok: boolean
  readonly events: number
  /** How many texts beside the journal its events refer to. */
  readonly texts: number
  /** The last event's hash: compare it with a copy kept elsewhere to see that nothing was cut off at the end. */
  readonly hash?: string
  readonly problems: readonly VerificationProblem[]
}

export interface VerificationProblem {
  /** The first event that is not what was written, or the one that refers to a bad text. */
  readonly seq?: Seq
  readonly message: string
}

/** Recomputes the hash chain over the events as stored, and the hash of every text they refer to. */
export async function verifyRun(store: Store, run: string, read: () => Promise<readonly StoredEvent[]>): Promise<Verification> {
  let events: readonly StoredEvent[]
  try {
    events = await read()
  } catch (error) {
    return { run, ok: false, events: 0, texts: 0, problems: [{ message: damageIn(error) }] }
  }
  const chain = verifyChain(events)
  const refs = textRefs(events)
  const problems: VerificationProblem[] = chain.ok ? [] : [{ seq: chain.seq, message: chain.message }]
  for (const { seq, field, ref } of refs) {
    const wrong = await wrongWith(store, ref)
    if (wrong !== undefined) problems.push({ seq, message: `The ${field} of event ${seq} ${wrong}` })
  }
  return {
    run,
    ok: problems.length === 0,
    events: events.length,
    texts: refs.length,
    ...(chain.ok ? { hash: chain.hash } : {}),
    problems,
  }
}

interface Reference {
  readonly seq: Seq
  readonly field: string
  readonly ref: TextRef
}

/** Every text once, with the first event that refers to it. */
function textRefs(events: readonly StoredEvent[]): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const { seq, data } of events) {
    for (const field of TEXT_FIELDS) {
      const ref = (data as Readonly<Record<string, unknown>> | undefined)?.[field]
      if (isTextRef(ref) && !found.has(ref.sha256)) found.set(ref.sha256, { seq, field, ref })
    }
  }
  return [...found.values()]
}

/** Where events keep texts by reference. */
const TEXT_FIELDS = ['brief', 'output', 'diff'] as const

function isTextRef(value: unknown): value is TextRef {
  return typeof value === 'object' && value !== null && 'sha256' in value && typeof value.sha256 === 'string'
}

async function wrongWith(store: Store, ref: TextRef): Promise<string | undefined> {
  try {
    const text = await store.getText(ref)
    if (text === undefined) return `is missing: there is no text ${ref.sha256}.`
    return hash('sha256', text) === ref.sha256 ? undefined : `was changed: the text ${ref.sha256} has another hash now.`
  } catch (error) {
    return `cannot be read: ${damageIn(error)}`
  }
}

/** Damage is what verifying is there to find; any other trouble is not an answer. */
function damageIn(error: unknown): string {
  if (error instanceof PawlError && (error.code === 'store.corrupt' || error.code.startsWith('journal.'))) return error.message
  throw error
}
