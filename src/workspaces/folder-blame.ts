import { hash } from 'node:crypto'
import { PawlError } from '../core/pawl-error.ts'
import { lineDiff } from './diff.ts'
import { fileContent, requireInnerPath } from './files-on-disk.ts'
import type { FolderPlace } from './folder-restore.ts'
import { findFolderTree, type FolderEntry, readContent } from './folder-store.ts'
import type { BlamedFile, BlamedLine, BlameRequest } from './workspace.ts'

/**
 * Traces lines without git, from snapshot to snapshot by their differences. A file that was moved unchanged keeps its lines; one that was
 * moved and edited at once is new, and so is a line that moved within the file.
 */
export async function blameInFolder(place: FolderPlace, request: BlameRequest): Promise<BlamedFile | undefined> {
  const path = requireInnerPath(request.path)
  const { trees, missing } = await treesOf(place, request.snapshots)
  const present = request.isPresent ? await fileContent(place.root, path) : undefined
  if (request.isPresent && present === undefined) return undefined
  const last = trees.length - 1
  // A file that returned to an earlier content continues from there.
  const same = present ? trees.findLastIndex(({ files }) => files.get(path)?.sha256 === hash('sha256', present)) : last
  const kept = await tracedIn(place.store, trees, same < 0 ? last : same, path)
  if (!present || same >= 0) return kept && { lines: kept, missing }
  const lines = linesIn(present)
  return { lines: kept ? carried(kept, lines, undefined) : lines.map((text) => ({ text })), missing }
}

interface Tree {
  /** Its index in the request's snapshots. */
  readonly index: number
  readonly files: ReadonlyMap<string, Extract<FolderEntry, { kind: 'file' }>>
}

async function treesOf({ store, root }: FolderPlace, snapshots: readonly string[]) {
  const trees: Tree[] = []
  const missing: string[] = []
  for (const [index, snapshot] of snapshots.entries()) {
    const manifest = await findFolderTree(store, root, snapshot).catch(unlessMissing)
    if (!manifest) missing.push(snapshot)
    else
      trees.push({
        index,
        files: new Map(manifest.entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry]] : []))),
      })
  }
  return { trees, missing }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof PawlError && error.code === 'workspace.snapshot-missing') return undefined
  throw error
}

/** The lines of a file in a tree, with their origin; `undefined` if the tree doesn't have it. */
async function tracedIn(
  store: string,
  trees: readonly Tree[],
  last: number,
  path: string,
): Promise<readonly BlamedLine[] | undefined> {
  // Versions with the same content count as the first one. Traced from the oldest on, so that no history is too long.
  const history = historyOf(trees, last, path)
  let lines: readonly BlamedLine[] | undefined
  const known = new Map<string, readonly BlamedLine[]>()
  for (const { index, sha256, name } of history) {
    if (sha256 === undefined) {
      lines = undefined
      continue
    }
    const again = known.get(sha256)
    if (again) lines = again
    else {
      const texts = linesIn(await readContent(store, sha256))
      const fresh = lines ? carried(lines, texts, index) : texts.map((text) => ({ text, index }))
      lines = name === path ? fresh : fresh.map((line) => (line.index === index ? { ...line, path: name } : line))
      known.set(sha256, lines)
    }
  }
  return lines
}

interface Version {
  readonly index: number
  readonly name: string
  readonly sha256?: string
}

/** The versions of a file up to a tree, the oldest first. A new file with the content of one that vanished is that file, renamed. */
function historyOf(trees: readonly Tree[], last: number, path: string): readonly Version[] {
  const versions: Version[] = []
  let name = path
  for (let place = last; place >= 0; place--) {
    const tree = trees[place]
    if (!tree) continue
    const entry = tree.files.get(name)
    versions.push({ index: tree.index, name, ...(entry === undefined ? {} : { sha256: entry.sha256 }) })
    const before = trees[place - 1]
    if (entry && before && !before.files.has(name)) {
      const moved = [...before.files.values()].find(({ sha256, path: old }) => sha256 === entry.sha256 && !tree.files.has(old))
      name = moved?.path ?? name
    }
  }
  return versions.toReversed()
}

/** Unchanged lines keep their origin; new ones come from `index`. */
function carried(before: readonly BlamedLine[], after: readonly string[], index: number | undefined): readonly BlamedLine[] {
  const from = index === undefined ? {} : { index }
  const lines: BlamedLine[] = []
  let next = 0
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of lineDiff(
    before.map(({ text }) => text),
    after,
  )) {
    lines.push(...before.slice(next, beforeStart), ...after.slice(afterStart, afterEnd).map((text) => ({ text, ...from })))
    next = beforeEnd
  }
  return [...lines, ...before.slice(next)]
}

function linesIn(content: Buffer): readonly string[] {
  const lines = content.toString('utf8').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
