import { PawlError } from '../core/pawl-error.ts'
import { OpenOnce } from './open-once.ts'
import type { RunQueue, Store } from './store.ts'

/** A store whose driver is loaded when it is first used. Closing one that nobody used loads nothing. */
export function lazyStore(load: () => Promise<Store>): Store {
  const opening = new OpenOnce(
    load,
    () => new PawlError('store.closed', 'The store was used after it was closed: open it again.'),
  )
  const call =
    <Name extends Method>(name: Name) =>
    async (...given: readonly unknown[]) =>
      ((await opening.use())[name] as (...all: readonly unknown[]) => unknown)(...given)
  const queued =
    (name: keyof RunQueue) =>
    async (...given: readonly unknown[]) =>
      ((await opening.use()).queue[name] as (...all: readonly unknown[]) => unknown)(...given)
  return {
    ...(Object.fromEntries(METHODS.map((name) => [name, call(name)])) as unknown as Pick<Store, Method>),
    queue: Object.fromEntries(QUEUE_METHODS.map((name) => [name, queued(name)])) as unknown as RunQueue,
    async *watch(run, after, signal) {
      yield* (await opening.use()).watch(run, after, signal)
    },
    async *watchRuns(signal) {
      yield* (await opening.use()).watchRuns(signal)
    },
    async close() {
      await (await opening.close())?.close()
    },
  }
}

type Method = Exclude<keyof Store, 'queue' | 'watch' | 'watchRuns' | 'close'>

/** A record, so that a method that is missing here doesn't compile. */
const METHODS = Object.keys({
  append: 1,
  adopt: 1,
  read: 1,
  readStored: 1,
  claim: 1,
  renew: 1,
  release: 1,
  holder: 1,
  putText: 1,
  getText: 1,
  dropText: 1,
  putSnapshot: 1,
  getSnapshot: 1,
  runs: 1,
  staleRuns: 1,
  putSummaries: 1,
  findRuns: 1,
  remove: 1,
  sizes: 1,
  compact: 1,
} satisfies Record<Method, 1>) as readonly Method[]

const QUEUE_METHODS = Object.keys({ put: 1, take: 1, putBack: 1, remove: 1, list: 1 } satisfies Record<
  keyof RunQueue,
  1
>) as readonly (keyof RunQueue)[]
