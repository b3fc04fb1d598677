import type { RunId } from '../core/event.ts'
import type { RunSize, StoreSizes } from './store.ts'

/** Events as they are kept: one for each, with its run. */
export interface EventText {
  readonly run: RunId
  readonly text: string
}

/** Which texts the events of each run refer to. Every reference to a text contains its hash. */
function textsInUse(events: Iterable<EventText>): ReadonlyMap<string, ReadonlySet<RunId>> {
  const users = new Map<string, Set<RunId>>()
  for (const { run, text } of events)
    for (const [, sha256 = ''] of text.matchAll(TEXT_REFERENCE)) users.set(sha256, (users.get(sha256) ?? new Set()).add(run))
  return users
}

/** Any hash in an event may be a text's: one too many keeps a text, one too few would lose it. */
const TEXT_REFERENCE = /([0-9a-f]{64})/g

/** The texts that nothing refers to. */
export function unusedTexts(events: Iterable<EventText>, texts: Iterable<string>): readonly string[] {
  const users = textsInUse(events)
  return [...texts].filter((sha256) => !users.has(sha256))
}

/** What each run takes. `texts` has the size of each text by its hash. */
export function sizesOf(events: readonly EventText[], texts: ReadonlyMap<string, number>, fileBytes: number): StoreSizes {
  const users = textsInUse(events)
  const runs = new Map<RunId, { run: RunId; events: number; eventBytes: number; textBytes: number }>()
  for (const { run, text } of events) {
    const size = runs.get(run) ?? { run, events: 0, eventBytes: 0, textBytes: 0 }
    size.events += 1
    size.eventBytes += Buffer.byteLength(text)
    runs.set(run, size)
  }
  let [sharedTextBytes, unusedTextBytes] = [0, 0]
  for (const [sha256, bytes] of texts) {
    const [first, ...others] = users.get(sha256) ?? []
    const own = first === undefined || others.length > 0 ? undefined : runs.get(first)
    if (own) own.textBytes += bytes
    else if (first === undefined) unusedTextBytes += bytes
    else sharedTextBytes += bytes
  }
  return { runs: [...runs.values()] satisfies readonly RunSize[], sharedTextBytes, unusedTextBytes, fileBytes }
}
