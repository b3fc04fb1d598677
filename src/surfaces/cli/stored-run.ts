import { existsSync } from 'node:fs'
import { isDamage, PawlError } from '../../core/pawl-error.ts'
import type { SealedEvent, Store } from '../../stores/store.ts'
import { knownState } from '../../engine/person-facts.ts'
import { type CliContext, withStore } from './cli-context.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import type { HolderView } from '../../present/run-view.ts'

/** Opens the project's store where there is one; `undefined` where there is none, since looking must not make files. */
export async function withExistingStore<Result>(
  context: CliContext,
  use: (store: Store) => Promise<Result>,
): Promise<Result | undefined> {
  return existsSync(context.project.storePath) ? withStore(context, use) : undefined
}

/** Opens the store and reads a run's journal. Refuses with `run.unknown`, naming runs there are, when there is no such run. */
export async function withKnownRun<Result>(
  context: CliContext,
  run: string,
  use: (events: readonly SealedEvent[], store: Store) => Promise<Result>,
): Promise<Result> {
  requireStore(context, run)
  return withStore(context, async (store) => use(await requireEvents(store, run, await store.read(run)), store))
}

/** Refuses to look for a run where there is no store. */
export function requireStore({ project }: CliContext, run: string): void {
  if (existsSync(project.storePath)) return
  throw new PawlError('run.unknown', `There is no run "${run}": there are no runs yet in ${project.root}.`, { value: run })
}

/** Refuses a journal without events: there is no such run. */
export async function requireEvents<Each>(store: Store, run: string, events: readonly Each[]): Promise<readonly Each[]> {
  if (events.length === 0) await knownState(store, run)
  return events
}

/** The process that drives a run now, and whether it can be seen from this machine; `undefined` if nobody drives it. */
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
