import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { KeptContent } from './folder-objects.ts'
import { absent } from './is-there.ts'

/** What unchanged files contain, so that they need not be read again. Deleting it costs time and nothing else. */
export interface FolderCache {
  get(path: string, stamp: string): KeptContent | undefined
  set(path: string, stamp: string, content: KeptContent): void
  /** Keeps what was set since it was opened. */
  save(): Promise<void>
}

/** Opens the cache of a store. */
export async function openFolderCache(store: string): Promise<FolderCache> {
  // Among the contents, so that whoever deletes those deletes it too.
  const path = join(store, 'objects', 'cache.json')
  const known = parsed(await readFile(path, 'utf8').catch(absent))
  const now = await fileSystemTimeMs(store)
  const next: Record<string, Known> = {}
  return {
    get(name, stamp) {
      const [knownStamp, sha256, bytes] = known[name] ?? []
      return stamp === knownStamp ? { sha256: sha256!, bytes: bytes! } : undefined
    },
    set(name, stamp, { sha256, bytes }) {
      // A file changed within the clock's grain of being read may change again without looking different.
      if (now - changedAtMs(stamp) > CLOCK_GRAIN_MS) next[name] = [stamp, sha256, bytes]
    },
    async save() {
      const mine = `${path}-${randomUUID()}`
      await writeFile(mine, JSON.stringify(next))
      await rename(mine, path)
    },
  }
}

type Known = readonly [stamp: string, sha256: string, bytes: number]

/** The coarsest there is: FAT counts in two seconds. */
const CLOCK_GRAIN_MS = 2000

function parsed(text: string | undefined): Record<string, Known> {
  try {
    return Object.assign(Object.create(null), JSON.parse(text ?? '{}')) as Record<string, Known>
  } catch {
    // Cut short by a power failure: it is only a cache.
    return {}
  }
}

/** The time by the clock that stamps the files, which on a network drive is not ours. */
async function fileSystemTimeMs(store: string): Promise<number> {
  const probe = join(store, `clock-${randomUUID()}`)
  await writeFile(probe, '')
  const { mtimeMs } = await stat(probe)
  await rm(probe)
  return mtimeMs
}

function changedAtMs(stamp: string): number {
  const [, , mtimeNs = '0', ctimeNs = '0'] = stamp.split(':')
  return Math.max(Number(mtimeNs), Number(ctimeNs)) / 1e6
}
