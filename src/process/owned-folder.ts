import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessIdentity } from '../core/event-data.ts'
import { currentProcessIdentity, isProcessAlive } from './process-identity.ts'

/** A fresh temporary folder. The first one of a process also clears away those that killed processes left behind. */
export async function makeOwnedFolder(within = tmpdir()): Promise<string> {
  cleaning ??= removeOrphanedFolders()
  await cleaning
  const folder = await mkdtemp(join(within, PREFIX))
  await writeFile(join(folder, OWNER_FILE), JSON.stringify(currentProcessIdentity()), { mode: 0o600 })
  return folder
}

let cleaning: Promise<void> | undefined

const PREFIX = 'pawl-report-'
const OWNER_FILE = 'owner.json'

/** Removes the folders of this user whose process is known to be gone. All others stay. */
export async function removeOrphanedFolders(): Promise<void> {
  const names = await readdir(tmpdir())
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name)
    const owner = await ownerOf(folder)
    if (owner && isProcessAlive(owner) === false) await rm(folder, { recursive: true, force: true })
  }
}

/** `undefined` if the folder isn't ours or has no owner file: then it is left alone. */
async function ownerOf(folder: string): Promise<ProcessIdentity | undefined> {
  try {
    const stats = await lstat(folder)
    if (!stats.isDirectory() || stats.uid !== process.getuid?.()) return undefined
    const owner: unknown = JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8'))
    return isIdentity(owner) ? owner : undefined
  } catch {
    // Another process may be making or removing it right now. A folder that can't be read isn't removed.
    return undefined
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startedAt, host } = value as Partial<Record<keyof ProcessIdentity, unknown>>
  return typeof pid === 'number' && typeof startedAt === 'string' && typeof host === 'string'
}
