import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import { lazyStore } from '../stores/lazy-store.ts'
import { sqliteFile, type SqliteStoreOptions } from '../stores/sqlite-file.ts'
import { makeStoreFolder } from '../stores/store-folder.ts'
import type { Store } from '../stores/store.ts'
import { storeAddress } from './store-address.ts'

type Tuning = Omit<SqliteStoreOptions, 'path'>

/**
 * The store of a project's runs: the file, or the database that `PAWL_STORE` or pawl.yaml names. Secrets of our own environment never get
 * into it: an agent, a file or a person may repeat them.
 */
export function openStore(storePath: string, tuning: Tuning = {}): Store {
  const address = storeAddress(storePath)
  if (address === undefined) return openStoreFile(storePath, tuning)
  return openDatabase(address, () => makeStoreFolder(dirname(resolve(storePath))))
}

/** The store in one file, whatever the project's settings say. */
export function openStoreFile(path: string, tuning: Tuning = {}): Store {
  keepSecretsOf(process.env)
  return sqliteFile({ ...tuning, path: resolve(path) })
}

/** The store at an address, as `pawl store copy` gets it: a file that exists or, if `isNew`, may be made; or a database. */
export function openStoreAt(address: string, isNew: boolean): Store {
  if (address.includes('://')) return openDatabase(address, () => undefined)
  if (isNew || existsSync(address)) return openStoreFile(address)
  throw new PawlError(
    'usage.store',
    `There is no store ${address}: name a file such as .pawl/pawl.db, or postgres://HOST/DATABASE.`,
  )
}

/** Imported when first used: most projects need no database, and hooks load as little as possible. */
function openDatabase(url: string, prepare: () => void): Store {
  keepSecretsOf({ ...process.env, PAWL_STORE: url })
  return lazyStore(async () => {
    const { postgresStore } = await import('../stores/postgres-store.ts')
    const store = postgresStore({ url })
    // Logs and worktrees of runs stay on this machine.
    prepare()
    return store
  })
}

/** The address of a project's database as people may see it; `undefined` if the project has a file. */
export async function shownAddress(storePath: string): Promise<string | undefined> {
  const address = storeAddress(storePath)
  if (address === undefined) return undefined
  const { withoutCredentials } = await import('../stores/postgres-connection.ts')
  return withoutCredentials(address)
}

/** A store that is empty and gone with the process. */
export async function temporaryStore(): Promise<Store> {
  const { memoryStore } = await import('../stores/memory-store.ts')
  return memoryStore()
}
