import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { absent } from './is-there.ts'

/** What occupies a place on disk: the path itself, or a file or symbolic link where one of its folders should be. */
export interface Standing {
  /** Raw name, relative to the root. */
  readonly name: string
  readonly kind: 'file' | 'folder'
}

/** Looks at a raw name below `root` without ever following a symbolic link; `undefined` when the place is free. */
export async function standingAt(root: string, name: string): Promise<Standing | undefined> {
  const parts = name.split('/')
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const here = parts.slice(0, depth).join('/')
    const found = await lstat(onDisk(root, here)).catch(absent)
    if (found === undefined) return undefined
    if (!found.isDirectory()) return { name: here, kind: 'file' }
  }
  return { name, kind: 'folder' }
}

/** Every file and symbolic link below a folder, as raw names relative to `root`. */
export async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(onDisk(root, folder), { withFileTypes: true, encoding: 'buffer' })
  const nested = entries.map((entry) => {
    const name = `${folder}/${entry.name.toString('latin1')}`
    return entry.isDirectory() ? filesBelow(root, name) : [name]
  })
  return (await Promise.all(nested)).flat()
}

/** Whether something is there whose content cannot be had: an unreadable file, a pipe, a socket. */
export async function isUnfit(root: string, name: string): Promise<boolean> {
  try {
    // Not blocking, should a pipe have taken the file's place; not following, for a broken link is readable as a link.
    const file = await open(onDisk(root, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const isFile = (await file.stat()).isFile()
    await file.close()
    return !isFile
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

function onDisk(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(join(root, '/')), Buffer.from(name, 'latin1')])
}
