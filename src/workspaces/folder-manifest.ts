import { createHash } from 'node:crypto'
import type { FileChange } from '../core/event-data.ts'

/** One file or symbolic link as it was kept. */
export type FolderEntry =
  | { readonly path: string; readonly kind: 'file'; readonly mode: number; readonly sha256: string; readonly bytes: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }

/** A tree as data. */
export interface FolderManifest {
  readonly v: 1
  readonly tree: string
  /** When it was kept, in milliseconds since the epoch. */
  readonly at: number
  /** The folder, seen from the store. */
  readonly folder: string
  /** The patterns that were ignored then. */
  readonly ignore: readonly string[]
  /** Sorted by path. */
  readonly entries: readonly FolderEntry[]
}

export interface EntryChange {
  readonly path: string
  readonly change: FileChange['change']
  readonly before?: FolderEntry
  readonly after?: FolderEntry
}

/** Hash of a tree: paths, modes, contents and where links point; neither times nor owners. */
export function treeHash(entries: readonly FolderEntry[]): string {
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(`${identity(entry)}\0${entry.path}\0`)
  return hash.digest('hex')
}

/** What differs between two trees, sorted by path. */
export function entryChanges(before: readonly FolderEntry[], after: readonly FolderEntry[]): EntryChange[] {
  const old = new Map(before.map((entry) => [entry.path, entry]))
  const changes: EntryChange[] = []
  for (const entry of after) {
    const was = old.get(entry.path)
    old.delete(entry.path)
    if (was === undefined) changes.push({ path: entry.path, change: 'added', after: entry })
    else if (identity(was) !== identity(entry)) changes.push({ path: entry.path, change: 'modified', before: was, after: entry })
  }
  for (const entry of old.values()) changes.push({ path: entry.path, change: 'deleted', before: entry })
  return changes.toSorted((left, right) => byPath(left, right))
}

/** The order of a manifest: by code units, the same everywhere. */
export function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path)
}

function identity(entry: FolderEntry): string {
  return entry.kind === 'link' ? `link ${entry.target}` : `${entry.mode.toString(8)} ${entry.sha256}`
}
