import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Every file below a folder by its path, as one comparable line each: kind, executable bit and content. Empty folders are listed
 * too; `.git` and `.pawl` are not.
 */
export async function folderContents(root: string, below = ''): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of (await readdir(join(root, below))).toSorted()) {
    if (name === '.git' || name === '.pawl') continue
    const path = below === '' ? name : `${below}/${name}`
    const found = await lstat(join(root, path))
    if (found.isDirectory()) {
      const inside = await folderContents(root, path)
      Object.assign(contents, Object.keys(inside).length === 0 ? { [`${path}/`]: 'empty folder' } : inside)
    } else if (found.isSymbolicLink()) {
      contents[path] = `link ${await readlink(join(root, path))}`
    } else {
      contents[path] = `${found.mode & 0o100 ? 'program' : 'file'} ${(await readFile(join(root, path))).toString('latin1')}`
    }
  }
  return contents
}
