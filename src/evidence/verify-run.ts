import { builtInFolds } from '../loops/evolve.ts'
import { hash } from 'node:crypto'
import type { TextRef } from '../core/event-data.ts'
import type { Seq, StoredEvent } from '../core/event.ts'
import { isDamage, PawlError } from '../core/pawl-error.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { type NamedText, textRefsOf } from '../journal/text-refs.ts'
import type { Snapshot, Store } from '../stores/store.ts'
import type { Folds } from '../core/definition.ts'
import { evolveAllWith } from '../core/evolve.ts'
import { type State, STATE_VERSION } from '../core/state.ts'
import { canonical } from '../journal/canonical.ts'
import { upcast } from '../journal/upcast.ts'

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

/** Recomputes the hash chain over the events as stored, the hash of every text they refer to, and the state that is cached. */
export async function verifyRun(store: Store, run: string, read: () => Promise<readonly StoredEvent[]>): Promise<Verification> {
  let snapshot: Snapshot | undefined
  let events: readonly StoredEvent[]
  try {
    // Asked for before the events: whoever drives the run may cache a later state meanwhile.
    snapshot = await store.getSnapshot(run)
    events = await read()
  } catch (error) {
    return { run, ok: false, events: 0, texts: 0, problems: [{ message: damageIn(error) }] }
  }
  const chain = verifyChain(events, run)
  const refs = textRefs(events)
  const problems: VerificationProblem[] = chain.ok ? [] : [{ seq: chain.seq, message: chain.message }]
  const cached = chain.ok && snapshot ? wrongWithSnapshot(snapshot, events, builtInFolds) : undefined
  if (cached !== undefined) problems.push({ message: cached })
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

interface Reference extends NamedText {
  readonly seq: Seq
}

/** Every text once, with the first event that refers to it. The draft of a checkpoint goes when that is dropped. */
function textRefs(events: readonly StoredEvent[]): readonly Reference[] {
  const dropped = new Set(events.filter(({ type }) => type === 'checkpoint.dropped').map(checkpointOf))
  const found = new Map<string, Reference>()
  for (const event of events) {
    if (event.type === 'checkpoint.created' && dropped.has(checkpointOf(event))) continue
    for (const { field, ref } of textRefsOf(event.data)) {
      if (!found.has(ref.sha256)) found.set(ref.sha256, { seq: event.seq, field, ref })
    }
  }
  return [...found.values()]
}

function checkpointOf({ data }: StoredEvent): unknown {
  return (data as { readonly checkpoint?: unknown } | undefined)?.checkpoint
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
  if (isDamage(error)) return error.message
  throw error
}

/**
 * Says what is wrong with the cached state of a run whose events, as stored, are whole: it is not what was put, or not what the
 * events come to. One of another version is never used, and nothing is wrong with it. The slices of a loop that `folds` does
 * not have cannot be folded: such a cached state is not compared.
 */
function wrongWithSnapshot(snapshot: Snapshot, events: readonly StoredEvent[], folds: Folds): string | undefined {
  if (snapshot.isDamaged) return sentence('is not what was written')
  if (snapshot.version !== STATE_VERSION) return undefined
  const { seq, state } = snapshot
  // Nothing is ever cached before its events are written, so they were cut off.
  if (seq > events.length) return sentence(`is that of event ${seq}, and the journal ends at event ${events.length}`)
  if (events[seq - 1]?.hash !== snapshot.hash) return sentence(`is that of another event ${seq} than the one in the journal`)
  const { slices, config } = state as unknown as State
  if (slices !== undefined && !folds(config.loop)) return undefined
  const folded = foldedTo(seq, events, folds)
  if (folded === undefined || folded === canonical(state)) return undefined
  return sentence(`is not what the events up to event ${seq} come to`)
}

/** The canonical state at `seq`; nothing where this Pawl cannot make one of these events, whose chain is whole all the same. */
function foldedTo(seq: Seq, events: readonly StoredEvent[], folds: Folds): string | undefined {
  try {
    const upcasted = events.slice(0, seq).map((event) => upcast(event))
    return canonical(evolveAllWith(folds, undefined, upcasted))
  } catch (error) {
    if (error instanceof PawlError) return undefined
    throw error
  }
}

function sentence(what: string): string {
  return `The cached state ${what}: its row in the table "snapshots" was changed, or the journal was. Deleting that row loses nothing, since the state is then made from the events.`
}
