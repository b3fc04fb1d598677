import type { Store } from '../stores/store.ts'
import { claimCases } from './store-cases-claim.ts'
import { journalCases } from './store-cases-journal.ts'
import { keepingCases } from './store-cases-keeping.ts'
import { watchCases } from './store-cases-watch.ts'

/** One place to store things, empty at first, that several processes may open. */
export interface StoreUnderTest {
  /** Another store on the same place. What is opened is closed by the case. */
  open(): Store | Promise<Store>
  /** Called once, at the end. */
  dispose(): void | Promise<void>
}

/** Makes a new place whose stores use the given lease. */
export type MakeStore = (options: { readonly leaseMs: number }) => StoreUnderTest | Promise<StoreUnderTest>

/** One sentence of the store's contract; rejects when it does not hold. */
export interface StoreCase {
  readonly name: string
  run(makeStore: MakeStore): Promise<void>
}

/** Every sentence of `ports/store.ts`, as cases that any test runner can run. */
const storeCases: readonly StoreCase[] = [...journalCases, ...claimCases, ...watchCases, ...keepingCases]

/** The cases for one store: `for (const { name, run } of storeConformance('mine', makeMine)) test(name, run)`. */
export function storeConformance(
  name: string,
  makeStore: MakeStore,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return storeCases.map((each) => ({ name: `${each.name} (${name})`, run: () => each.run(makeStore) }))
}
