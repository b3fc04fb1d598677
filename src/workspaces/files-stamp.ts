import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ownOutputFiles } from '../process/own-output.ts'
import { absent, mapParallel } from './files-on-disk.ts'
import type { FilesStamp } from './workspace.ts'

/** The state of these files, whose names are raw (one character per byte) and relative to the folder. */
export async function filesStamp(folder: string, names: readonly string[]): Promise<FilesStamp> {
  let changedAt = 0
  const own = ownOutputFiles()
  const counted = names.filter((name) => !name.startsWith('.pawl/')).slice(0, FILES_MAX)
  const stamps = await mapParallel(counted, PARALLEL_MAX, async (name) => {
    const found = await lstat(Buffer.concat([Buffer.from(join(folder, '/')), Buffer.from(name, 'latin1')])).catch(absent)
    // What this process prints is no change of the work.
    if (found && own.some(({ dev, ino }) => dev === found.dev && ino === found.ino)) return ''
    changedAt = Math.max(changedAt, found?.mtimeMs ?? 0, found?.ctimeMs ?? 0)
    return found ? `${name} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : `${name} gone`
  })
  return { stamp: createHash('sha256').update(stamps.join('\0')).digest('hex').slice(0, STAMP_LENGTH), changedAt }
}

const FILES_MAX = 20_000
const PARALLEL_MAX = 16
const STAMP_LENGTH = 16

/** The files of a folder but for `node_modules` and names that begin with a dot: folder by folder, and no more than are looked at. */
export async function namesBelow(root: string): Promise<readonly string[]> {
  const names: string[] = []
  const folders = ['']
  for (const folder of folders) {
    if (names.length >= FILES_MAX || folders.length >= FILES_MAX) break
    const entries = await readdir(join(root, Buffer.from(folder, 'latin1').toString()), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue
      const name = `${folder}${Buffer.from(entry.name).toString('latin1')}`
      if (entry.isDirectory()) folders.push(`${name}/`)
      else names.push(name)
    }
  }
  return names
}
