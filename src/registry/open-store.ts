import { keepSecretsOf } from '../secrets/known-values.ts'
export { memoryStore } from '../stores/memory-store.ts'
import { sqliteStore, type SqliteStoreOptions } from '../stores/sqlite-store.ts'
import type { Store } from '../stores/store.ts'

/** The store of a project's runs. Secrets of our own environment never get into it: an agent, a file or a person may repeat them. */
export function openStore(path: string, tuning: Omit<SqliteStoreOptions, 'path'> = {}): Store {
  keepSecretsOf(process.env)
  return sqliteStore({ ...tuning, path })
}
