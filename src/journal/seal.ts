import { EVENT_VERSION } from '../core/event.ts'
import type { Event, Fact, RunId, Seq } from '../core/event.ts'
import { canonical } from './canonical.ts'
import { chainHashOfText } from './hash-chain.ts'
import { cleanContentOf, contentOf } from './fact-content.ts'
import { redactFact } from './redact.ts'
import { hasSecretHint } from './secret-hint.ts'

/** A fact, free of secrets, as the canonical text of its event around the place where its `seq` will stand. */
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
 * Redacts facts and writes out everything about their events that is known before they have a place, so that little is left to
 * do under the store's lock. A promise only when something in them may be a secret: the usual append need not wait for it.
 */
export function prepareFacts(run: RunId, facts: readonly Fact[]): readonly PreparedFact[] | Promise<readonly PreparedFact[]> {
  const contents: string[] = []
  let unknown = ''
  for (const fact of facts) {
    const known = cleanContentOf(fact)
    const content = known ?? contentOf(fact)
    if (known === undefined) unknown += `${content}\n`
    contents.push(content)
  }
  // All at once: one look at a longer text is cheaper than several at short ones.
  if (hasSecretHint(unknown)) return prepareRedacted(run, facts)
  const name = canonical(run)
  return facts.map((fact, index) => writeOut(name, fact, contents[index] as string))
}

/**
 * Gives prepared facts the places after `seq` and chains them to `hash` (0 and `GENESIS` for a new run).
 */
export function seal(prepared: readonly PreparedFact[], seq: Seq, hash: string): readonly Sealed[] {
  let previousHash = hash
  return prepared.map(({ beforeSeq, afterSeq }, index) => {
    const text = `${beforeSeq}${seq + 1 + index}${afterSeq}`
    previousHash = chainHashOfText(previousHash, text)
    return { seq: seq + 1 + index, hash: previousHash, text }
  })
}

/** What an append came to. The events are read back from the text when someone looks at them: a writer sees what every reader will see. */
export function appendedEvents(sealed: readonly Sealed[]): Appended {
  return new Appended(sealed)
}

type SealedEvents = readonly (Event & { readonly hash: string })[]

/** A class, because an object with a getter of its own takes ten times as long to make, and one is made with every append. */
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

async function prepareRedacted(run: RunId, facts: readonly Fact[]): Promise<readonly PreparedFact[]> {
  const redacted = await Promise.all(facts.map((fact) => redactFact(fact)))
  const name = canonical(run)
  return redacted.map((fact) => writeOut(name, fact, contentOf(fact)))
}

/** The fields in canonical (alphabetical) order, written by hand because only `seq` is missing. */
function writeOut(run: string, fact: Fact, content: string): PreparedFact {
  const because = fact.because === undefined ? '' : `"because":${canonical(fact.because)},`
  return {
    beforeSeq: `{"at":${canonical(fact.at)},${because}${content},"run":${run},"seq":`,
    afterSeq: `,"type":${canonical(fact.type)},"v":${EVENT_VERSION}}`,
  }
}
