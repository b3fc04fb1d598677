import { resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { ANYTHING, COUNT, type EntriesOf, oneOf, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { sqliteFile, type SqliteStoreOptions } from './sqlite-file.ts'
import { checkLease } from './store-rules.ts'
import type { Store } from './store.ts'

export { storeOver, type SqliteStoreOptions } from './sqlite-file.ts'

/** A store in one SQLite file, for any number of processes of one machine. The file is opened when first used. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  readOptions('sqliteStore', OPTIONS, options)
  const { path, leaseMs } = options
  if (typeof path !== 'string' || path === '')
    throw new PawlError('store.path', 'sqliteStore needs the path of a file, like ".pawl/pawl.db".', { value: path })
  if (leaseMs !== undefined) checkLease(leaseMs)
  return sqliteFile({ ...options, path: resolve(path) })
}

const OPTIONS = settingsSchema({
  path: ANYTHING,
  synchronous: optional(oneOf(['FULL', 'NORMAL'])),
  leaseMs: ANYTHING,
  eventsLookedAt: optional(COUNT),
  logPagesMax: optional(COUNT),
} satisfies EntriesOf<SqliteStoreOptions>)
