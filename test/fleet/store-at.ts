import { postgresStore } from '../../src/stores/postgres-store.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { Store } from '../../src/stores/store.ts'

/** The store at an address: a database server, or a file. Its claims end soon if nobody renews them. */
export function storeAt(address: string, leaseMs = 10_000): Store {
  return address.includes('://')
    ? postgresStore({ url: address, leaseMs, connectionsMax: 2 })
    : sqliteStore({ path: address, leaseMs, synchronous: 'NORMAL' })
}
