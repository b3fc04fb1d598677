import { hasStore } from '../../registry/store-address.ts'
import { isDamage, PawlError } from '../../core/pawl-error.ts'
import type { SealedEvent, Store } from '../../stores/store.ts'
import { knownState } from '../../engine/person-facts.ts'
import { type CliContext, withStore } from './cli-context.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import type { HolderView } from '../../present/run-view.ts'

/** Opens the project's store if it exists; otherwise undefined, since looking must not create files. */
export async function withExistingStore<Result>(
  context: CliContext,
  use: (store: Store) => Promise<Result>,
): Promise<Result | undefined> {
  return hasStore(context.project.storePath) ? withStore(context, use) : undefined
}

/** Opens the store and reads a run's journal. Throws `run.unknown`, which names other runs, if there is no such run. */
export async function withKnownRun<Result>(
  context: CliContext,
  run: string,
  use: (events: readonly SealedEvent[], store: Store) => Promise<Result>,
): Promise<Result> {
  requireStore(context, run)
  return withStore(context, async (store) => use(await requireEvents(store, run, await store.read(run)), store))
}

/** Throws `run.unknown` if the project has no store. */
export function requireStore({ project }: CliContext, run: string): void {
  if (hasStore(project.storePath)) return
  throw new PawlError('run.unknown', `There is no run "${run}": there are no runs yet in ${project.root}.`, { value: run })
}

/** Throws `run.unknown` for a journal without events. */
export async function requireEvents<Each>(store: Store, run: string, events: readonly Each[]): Promise<readonly Each[]> {
  if (events.length === 0) await knownState(store, run)
  return events
}

/** The process that drives a run, and whether this machine can see it; undefined if nobody drives the run. */
export async function holderOf(store: Store, run: string): Promise<HolderView | undefined> {
  const holder = await store.holder(run)
  return holder && { ...holder, isSeen: isProcessAlive(holder) === true }
}

/** A run's journal; undefined if it is damaged, so that one bad run doesn't hide the others. */
export async function readUndamaged(store: Store, run: string): Promise<readonly SealedEvent[] | undefined> {
  try {
    return await store.read(run)
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}
