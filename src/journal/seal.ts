import { type Event, EVENT_VERSION, type Fact, type RunId, type Seq, type StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { canonical } from './canonical.ts'
import { cleanTexts } from './redact-facts.ts'
import { chainHashOfText, verifyChain } from './hash-chain.ts'

/** A fact as the canonical text of its event, in two parts: the `seq` goes between them. */
export interface PreparedFact {
  readonly beforeSeq: string
  readonly afterSeq: string
}

/** The canonical text of an event and the `hash` that covers it: what a store writes. */
export interface Sealed {
  readonly seq: Seq
  readonly hash: string
  readonly text: string
}

/**
 * Writes out everything about the facts' events except `seq` and `hash`, so that little is left to do under the store's lock. The facts
 * must be free of secrets already (`redactFacts`): what is hashed cannot be cleaned afterwards.
 */
export function prepareFacts(run: RunId, facts: readonly Fact[]): readonly PreparedFact[] {
  const name = canonical(run)
  return facts.map((fact) => writeOut(name, fact))
}

/** Numbers prepared facts from `seq` + 1 on and chains them to `hash` (0 and `GENESIS` for a new run). */
export function seal(prepared: readonly PreparedFact[], seq: Seq, hash: string): readonly Sealed[] {
  let previousHash = hash
  return prepared.map(({ beforeSeq, afterSeq }, index) => {
    const text = `${beforeSeq}${seq + 1 + index}${afterSeq}`
    previousHash = chainHashOfText(previousHash, text)
    return { seq: seq + 1 + index, hash: previousHash, text }
  })
}

/** Events as another store wrote them. Throws if they aren't a whole journal of this run, from its first event on. */
export function sealedElsewhere(run: RunId, events: readonly StoredEvent[]): readonly Sealed[] {
  const verdict = verifyChain(events, run)
  if (!verdict.ok)
    throw new PawlError('journal.damaged', `The journal of the run "${run}" isn't taken in: ${verdict.message}`, {
      value: verdict.seq,
    })
  return events.map((event) => ({ seq: event.seq, hash: event.hash, text: canonical({ ...event, hash: undefined }) }))
}

/** What an append came to. The events are read back from the text when someone looks at them: a writer sees what every reader will see. */
export function appendedEvents(sealed: readonly Sealed[]): Appended {
  return new Appended(sealed)
}

type SealedEvents = readonly (Event & { readonly hash: string })[]

/** A class, because an object with its own getter takes ten times as long to make, and one is made with every append. */
class Appended {
  readonly status = 'appended'
  readonly #sealed: readonly Sealed[]
  #events: SealedEvents | undefined

  constructor(sealed: readonly Sealed[]) {
    this.#sealed = sealed
  }

  get events(): SealedEvents {
    return (this.#events ??= this.#sealed.map(({ text, hash }) => ({ ...JSON.parse(text), hash })))
  }
}

/** The fields in canonical (alphabetical) order, written by hand because only `seq` is missing. */
function writeOut(run: string, fact: Fact): PreparedFact {
  const { at, because, type } = fact
  const { by, data } = cleanTexts(fact) ?? { by: canonical(fact.by), data: canonical(fact.data) }
  const reason = because === undefined ? '' : `"because":${canonical(because)},`
  return {
    beforeSeq: `{"at":${canonical(at)},${reason}"by":${by},"data":${data},"run":${run},"seq":`,
    afterSeq: `,"type":${canonical(type)},"v":${EVENT_VERSION}}`,
  }
}
