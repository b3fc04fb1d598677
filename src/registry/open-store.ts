import { resolve } from 'node:path'
import { keepSecretsOf } from '../secrets/known-values.ts'
import { sqliteFile, type SqliteStoreOptions } from '../stores/sqlite-file.ts'
import type { Store } from '../stores/store.ts'

/** The store of a project's runs. Secrets of our own environment never get into it: an agent, a file or a person may repeat them. */
export function openStore(path: string, tuning: Omit<SqliteStoreOptions, 'path'> = {}): Store {
  keepSecretsOf(process.env)
  return sqliteFile({ ...tuning, path: resolve(path) })
}

/** A store that is empty and gone with the process. */
export async function temporaryStore(): Promise<Store> {
  const { memoryStore } = await import('../stores/memory-store.ts')
  return memoryStore()
}
