import { resolve } from 'node:path'
import { COUNT, type EntriesOf, MILLISECONDS, needed, notBlank, oneOf, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { sqliteFile, type SqliteStoreOptions } from './sqlite-file.ts'
import type { Store } from './store.ts'

export { storeOver, type SqliteStoreOptions } from './sqlite-file.ts'

/** A store in one SQLite file, for any number of processes of one machine. The file is opened when first used. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  readOptions('sqliteStore', OPTIONS, options, 'store')
  return sqliteFile({ ...options, path: resolve(options.path) })
}

const OPTIONS = settingsSchema({
  path: needed(notBlank('the path of a file, like ".pawl/pawl.db"'), 'The file, created with its folder when first used'),
  synchronous: optional(oneOf(['FULL', 'NORMAL']), 'Whether appends survive a power cut, or only a crash of the process'),
  leaseMs: optional(MILLISECONDS, 'How long a holder that is stuck keeps its claim without renewing it'),
  eventsLookedAt: optional(COUNT, "How many events of a run's chain are verified before the first append to it"),
  logPagesMax: optional(COUNT, 'How many pages the log may have before a checkpoint'),
} satisfies EntriesOf<SqliteStoreOptions>)
