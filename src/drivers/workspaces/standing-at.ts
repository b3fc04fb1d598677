import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

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

function onDisk(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(join(root, '/')), Buffer.from(name, 'latin1')])
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
