import type { Folds } from '../core/definition.ts'
import { evolveAllWith } from '../core/evolve.ts'
import type { Seq } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { STATE_VERSION, type State } from '../core/state.ts'
import type { StoredEvent } from '../core/stored-event.ts'
import { canonical } from '../journal/canonical.ts'
import { upcast } from '../journal/upcast.ts'
import type { Snapshot } from '../stores/store.ts'

/**
 * Says what is wrong with the cached state of a run whose events, as stored, are whole: it is not what was put, or not what the
 * events come to. One of another version is never used, and nothing is wrong with it. A loop that `folds` does not have cannot be folded
 * whole: its cached state is not compared.
 */
export function wrongWithSnapshot(snapshot: Snapshot, events: readonly StoredEvent[], folds: Folds): string | undefined {
  if (snapshot.isDamaged) return sentence('is not what was written')
  if (snapshot.version !== STATE_VERSION) return undefined
  const { seq, hash, state } = snapshot
  // Nothing is ever cached before its events are written, so they were cut off.
  if (seq > events.length) return sentence(`is that of event ${seq}, and the journal ends at event ${events.length}`)
  if (events[seq - 1]?.hash !== hash) return sentence(`is that of another event ${seq} than the one in the journal`)
  if (!folds((state as unknown as State).config.loop)) return undefined
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
