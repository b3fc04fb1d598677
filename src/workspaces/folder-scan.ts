import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { lstat, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { ownOutputFiles } from '../process/own-output.ts'
import { absent, mapParallel } from './files-on-disk.ts'
import { byPath, type FolderEntry, keepContent, type KeptContent } from './folder-store.ts'

export interface ScanRequest {
  readonly root: string
  readonly store: string
  /** Patterns of `path.matchesGlob` against the path from the folder. */
  readonly ignore: readonly string[]
  readonly cache: FolderCache
  /** Paths to include although they are ignored. */
  readonly forced?: readonly string[]
}

export interface FolderScan {
  /** Sorted by path; the contents are in the store. */
  readonly entries: readonly FolderEntry[]
  /** What was left out and why, one line each. */
  readonly notes: readonly string[]
  /** Each file's stamp when it was read, to detect later changes. */
  readonly stamps: ReadonlyMap<string, string>
  /** Hashes of the contents that were not in the store before. */
  readonly added: ReadonlySet<string>
}

/** Reads a folder into the store. Files that vanish or can't be read, and anything else than files, are left out with a note. */
export async function scanFolder(request: ScanRequest): Promise<FolderScan> {
  const notes: string[] = []
  const paths = [...(await pathsBelow(request, '', notes)), ...(request.forced ?? [])]
  const stamps = new Map<string, string>()
  const added = new Set<string>()
  const found = await mapParallel(paths, PARALLEL_MAX, async (path) => {
    try {
      return await readEntry(request, path, stamps, added)
    } catch (error) {
      notes.push(note(path, error))
    }
  })
  const entries = found.filter((entry) => entry !== undefined).toSorted(byPath)
  return { entries, notes: notes.toSorted(), stamps, added }
}

/** Whether a path or a folder above it is ignored: always `.git`, `.pawl` and `node_modules`, and what the patterns say. */
export function isIgnored(path: string, ignore: readonly string[]): boolean {
  const parts = path.split('/')
  return parts.some((name, index) => {
    const upToHere = parts.slice(0, index + 1).join('/')
    return ALWAYS_IGNORED.has(name) || ignore.some((pattern) => matchesGlob(upToHere, pattern))
  })
}

/** Differs if a file changes, without reading it; `undefined` if nothing is there. */
export async function stampOf(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(absent)
  return found && stamped(found)
}

const ALWAYS_IGNORED: ReadonlySet<string> = new Set(['.git', '.pawl', 'node_modules'])
const PARALLEL_MAX = 16

async function pathsBelow(request: ScanRequest, folder: string, notes: string[]): Promise<string[]> {
  const place = join(request.root, folder)
  if (place === request.store) return []
  try {
    const entries = await readdir(place, { withFileTypes: true, encoding: 'buffer' })
    const nested = await mapParallel(entries, PARALLEL_MAX, async (entry) => {
      const name = entry.name.toString('utf8')
      const path = folder === '' ? name : `${folder}/${name}`
      if (isIgnored(name, []) || request.ignore.some((pattern) => matchesGlob(path, pattern))) return []
      if (!Buffer.from(name).equals(entry.name)) return noted(notes, `left out: ${path} has a name that is not UTF-8`)
      if (entry.isDirectory()) return pathsBelow(request, path, notes)
      if (entry.isFile() || entry.isSymbolicLink()) return [path]
      return noted(notes, `left out: ${path} is neither a file nor a folder`)
    })
    return nested.flat()
  } catch (error) {
    return noted(notes, note(folder || '.', error))
  }
}

async function readEntry(
  request: ScanRequest,
  path: string,
  stamps: Map<string, string>,
  added: Set<string>,
): Promise<FolderEntry | undefined> {
  const place = join(request.root, path)
  const found = await lstat(place, { bigint: true })
  // What this process prints is no change of the work.
  if (ownOutputFiles().some(({ dev, ino }) => BigInt(dev) === found.dev && BigInt(ino) === found.ino)) return undefined
  const stamp = stamped(found)
  stamps.set(path, stamp)
  if (found.isSymbolicLink()) return { path, kind: 'link', target: await readlink(place) }
  const content = request.cache.get(path, stamp) ?? (await keepContent(request.store, place, (sha256) => added.add(sha256)))
  if (content === undefined) throw new Error('it is no longer a file')
  request.cache.set(path, stamp, content)
  return { path, kind: 'file', mode: Number(found.mode) & 0o777, ...content }
}

function stamped({ mode, size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${mode}:${size}:${mtimeNs}:${ctimeNs}:${ino}`
}

function noted(notes: string[], line: string): [] {
  notes.push(line)
  return []
}

function note(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return `left out: ${path} vanished while it was read`
  return `left out: ${path} cannot be read (${code ?? message})`
}

/** The contents of unchanged files, so that they need not be read again. Deleting it costs only time. */
export interface FolderCache {
  get(path: string, stamp: string): KeptContent | undefined
  set(path: string, stamp: string, content: KeptContent): void
  /** Writes what was set since it was opened. */
  save(): Promise<void>
}

/** Opens the cache of a store. */
export async function openFolderCache(store: string): Promise<FolderCache> {
  // Beside the contents, so that deleting those also deletes it.
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
      // A file that changed just before it was read may change again without a new stamp.
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

/** The coarsest clock: FAT counts in two seconds. */
const CLOCK_GRAIN_MS = 2000

function parsed(text: string | undefined): Record<string, Known> {
  try {
    return Object.assign(Object.create(null), JSON.parse(text ?? '{}')) as Record<string, Known>
  } catch {
    // Damaged by a power failure: it is only a cache.
    return {}
  }
}

/** The time of the file system's clock, which on a network drive isn't ours. */
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

/** What the folder has and no snapshot contains; an ignored folder is one name, with `/` at the end. */
export async function leftOutOf(root: string, ignore: readonly string[], folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const names = await mapParallel(entries, PARALLEL_MAX, async (entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name === '.git' || entry.name === '.pawl') return []
    if (isIgnored(entry.name, []) || ignore.some((pattern) => matchesGlob(path, pattern)))
      return [entry.isDirectory() ? `${path}/` : path]
    return entry.isDirectory() ? leftOutOf(root, ignore, path) : []
  })
  return names.flat()
}
