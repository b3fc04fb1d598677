import { lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** A request that the folder refuses; the message is for the agent. */
export class FolderRefusal extends Error {}

/** The longest file that an agent may read or write through Pawl. */
const FILE_BYTES_MAX = 10 * 1024 * 1024

/** The text of a file in the folder. Rejects if it is outside, too long, or not text. */
export async function readTextIn(folder: string, path: string): Promise<string> {
  const file = await placeIn(folder, path)
  const { size, isFile } = await stat(file.path).then(
    (found) => ({ size: found.size, isFile: found.isFile() }),
    () => ({ size: 0, isFile: false }),
  )
  if (!isFile) throw new FolderRefusal(`There is no file ${file.name}.`)
  if (size > FILE_BYTES_MAX) throw new FolderRefusal(`${file.name} is longer than ${FILE_BYTES_MAX / 1024 / 1024} MiB.`)
  const bytes = await readFile(file.path)
  if (bytes.includes(0)) throw new FolderRefusal(`${file.name} is no text.`)
  return bytes.toString('utf8')
}

/** Writes a file in the folder, with its parent folders, and returns its name there. */
export async function writeTextIn(folder: string, path: string, content: string): Promise<string> {
  const file = await placeIn(folder, path)
  if (isGuarded(file.name)) throw new FolderRefusal(`${file.name} must not be written: it is not part of the work.`)
  if (Buffer.byteLength(content) > FILE_BYTES_MAX)
    throw new FolderRefusal(`${file.name} would be longer than ${FILE_BYTES_MAX / 1024 / 1024} MiB.`)
  await mkdir(dirname(file.path), { recursive: true })
  // Checked again: a link created in between could lead outside.
  const { path: place } = await placeIn(folder, path)
  await writeFile(place, content)
  return file.name
}

/** Where an agent's path leads, with links resolved: always inside the folder. `name` is the path within it. */
export async function placeIn(folder: string, path: string): Promise<{ readonly path: string; readonly name: string }> {
  if (path.includes('\0')) throw new FolderRefusal('A path cannot hold a NUL character.')
  const root = await realpath(folder)
  const wanted = isAbsolute(path) ? resolve(path) : resolve(root, path)
  // The folder's own path may contain a link.
  const given = isInside(resolve(folder), wanted) ? join(root, relative(resolve(folder), wanted)) : wanted
  const place = await realPlace(given)
  if (!isInside(root, place)) throw new FolderRefusal(`${path} is outside the folder ${folder}: only files in it can be used.`)
  return { path: place, name: relative(root, place) || '.' }
}

/** The real path, whose last parts need not exist yet. */
async function realPlace(path: string): Promise<string> {
  const missing: string[] = []
  for (let place = path; ; place = dirname(place)) {
    const found = await realpath(place).catch(() => undefined)
    if (found !== undefined) return join(found, ...missing)
    // A write would follow a broken link.
    if (await isLink(place)) throw new FolderRefusal(`${path} is a link that leads nowhere.`)
    if (dirname(place) === place) return path
    missing.unshift(basename(place))
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

function isInside(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
}

/** What an agent must not write: git's hooks, and the run's record. */
function isGuarded(name: string): boolean {
  // Some file systems ignore case.
  return /(?:^|[/\\])\.git(?:[/\\]|$)/i.test(name) || /^\.pawl(?:[/\\]|$)/i.test(name)
}
