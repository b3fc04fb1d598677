import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId, StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import type { Claim, Store } from '../stores/store.ts'

/** What became of one run. */
export type CopiedRun =
  | { readonly run: RunId; readonly status: 'copied'; readonly events: number; readonly texts: number }
  /** The other store has the same journal already. */
  | { readonly run: RunId; readonly status: 'there' }
  /** The other store has another journal under this name. */
  | { readonly run: RunId; readonly status: 'differs' }
  | { readonly run: RunId; readonly status: 'held'; readonly holder: ProcessIdentity }

/**
 * Copies runs with their texts from one store to another, one after the other. Both stores' claims keep drivers away meanwhile. A journal is
 * taken in as a whole or not at all, after its chain of hashes was verified; texts come first, so nothing refers to one that isn't there.
 */
export async function* copyRuns(from: Store, to: Store, runs: readonly RunId[]): AsyncGenerator<CopiedRun, void, void> {
  for (const run of runs) yield await copyRun(from, to, run)
}

async function copyRun(from: Store, to: Store, run: RunId): Promise<CopiedRun> {
  return holding(from, run, () =>
    holding(to, run, async (claim) => {
      for (;;) {
        const events = await from.readStored(run)
        const present = await to.readStored(run)
        if (present.length > 0) return { run, status: isSame(present, events) ? 'there' : 'differs' }
        const texts = await copyTexts(from, to, run, events)
        const result = await to.adopt(claim, events)
        if (result.status === 'fenced') return { run, status: 'held', holder: result.holder ?? currentProcessIdentity() }
        if (result.status === 'conflict') continue
        // A person may write without a claim: then the copy is made again.
        if ((await from.readStored(run, events.length, 1)).length === 0)
          return { run, status: 'copied', events: events.length, texts }
        await to.remove(claim)
        return copyRun(from, to, run)
      }
    }),
  )
}

/** Keeps others from driving the run for as long as `work` takes. */
async function holding(store: Store, run: RunId, work: (claim: Claim) => Promise<CopiedRun>): Promise<CopiedRun> {
  const result = await store.claim(run, currentProcessIdentity())
  if (result.status === 'held') return { run, status: 'held', holder: result.holder }
  const renewing = setInterval(() => void store.renew(result.claim).catch(() => false), (result.leaseMs ?? LEASE_MS) / 4)
  try {
    return await work(result.claim)
  } finally {
    clearInterval(renewing)
    await store.release(result.claim)
  }
}

const LEASE_MS = 60_000

function isSame(some: readonly StoredEvent[], others: readonly StoredEvent[]): boolean {
  return some.length === others.length && some.at(-1)?.hash === others.at(-1)?.hash
}

/** Any hash in an event may be a text's. */
async function copyTexts(from: Store, to: Store, run: RunId, events: readonly StoredEvent[]): Promise<number> {
  const hashes = new Set(events.flatMap(({ data }) => JSON.stringify(data).match(/[0-9a-f]{64}/g) ?? []))
  let copied = 0
  for (const sha256 of hashes) {
    const text = await from.getText({ sha256, bytes: 0 })
    if (text === undefined) continue
    const ref = await to.putText({ text, bytesCut: 0 })
    if (ref.sha256 !== sha256) throw secretText(run)
    copied += 1
  }
  return copied
}

/** A store keeps no secret of our environment, so the text would get another hash than the events say. */
function secretText(run: RunId): PawlError {
  const message = `A text of the run "${run}" contains what is secret in this environment now, so it isn't copied.\n  Unset that variable, then copy again`
  return new PawlError('store.secret', message, { value: run })
}
