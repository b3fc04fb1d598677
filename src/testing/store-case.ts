import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Fact, RunId, Seq } from '../core/event.ts'
import type { Claim, SealedEvent, Store } from '../stores/store.ts'
import { currentProcessIdentity, identityOf } from '../process/process-identity.ts'

/** An initially empty place that several processes may open. */
export interface StoreUnderTest {
  /** Another store on the same place. The case closes what it opens. */
  open(): Store | Promise<Store>
  /** Called once, at the end. */
  dispose(): void | Promise<void>
}

/** Makes a new place whose stores use the given lease. */
export type MakeStore = (options: { readonly leaseMs: number }) => StoreUnderTest | Promise<StoreUnderTest>

/** One statement of the store's contract; rejects if the store breaks it. */
export interface StoreCase {
  readonly name: string
  run(makeStore: MakeStore): Promise<void>
}

/** Long enough never to expire in a test. */
const LEASE_MS_DEFAULT = 600_000

/** The lease of cases in which one ends. */
export const LEASE_MS = 300

/** Then it is over. */
export const LEASE_IS_OVER_MS = 400

/** A case with two stores on one place, which are always closed and removed at the end. */
export function storeCase(
  name: string,
  body: (store: Store, other: Store) => Promise<void>,
  leaseMs: number = LEASE_MS_DEFAULT,
): StoreCase {
  return {
    name,
    async run(makeStore) {
      const place = await makeStore({ leaseMs })
      const [store, other] = [await place.open(), await place.open()]
      try {
        await body(store, other)
      } finally {
        await store.close()
        await other.close()
        await place.dispose()
      }
    },
  }
}

/** The run most cases write to. */
export const RUN: RunId = 'fix-login'

/** An event from the run's driver. */
export function iterationStarted(iteration: number): Fact<'iteration.started'> {
  return { type: 'iteration.started', at: 1_000 + iteration, by: { role: 'loop', name: 'task' }, data: { iteration } }
}

/** An event from a person. */
export function runPaused(reason: string): Fact<'run.paused'> {
  return { type: 'run.paused', at: 2_000, by: { role: 'person', name: 'Ada' }, because: 1, data: { reason } }
}

/** Claims a free run. */
export async function claimed(store: Store, run: RunId = RUN, holder = currentProcessIdentity()): Promise<Claim> {
  const result = await store.claim(run, holder)
  assert.equal(result.status, 'claimed')
  assert.ok('claim' in result)
  return result.claim
}

/** Appends as the holder and asserts success. */
export async function drive(
  store: Store,
  claim: Claim,
  expectedSeq: Seq,
  ...facts: readonly Fact[]
): Promise<readonly SealedEvent[]> {
  const result = await store.append(claim.run, facts, { claim, expectedSeq })
  assert.equal(result.status, 'appended')
  assert.ok('events' in result)
  return result.events
}

/** A process on another machine, so it is unknown whether it lives. */
export const STRANGER: ProcessIdentity = { pid: 4711, startedAt: 'yesterday', host: 'some-other-machine.example' }

/** The identity of a real process that has ended. */
export async function deadProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env: {}, stdio: ['pipe', 'ignore', 'ignore'] })
  const identity = identityOf(child.pid as number)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  return identity as ProcessIdentity
}
