import type { SnapshotFiles } from '../workspaces/workspace.ts'

/** The files before and after a person changed some of them. */
export interface PersonEdit {
  readonly before: SnapshotFiles
  readonly after: SnapshotFiles
}

/** The start's files with what people changed since, of those that `isAmended` names: the newest edit of a file counts. */
export function withPersonEdits(
  start: SnapshotFiles,
  edits: readonly PersonEdit[],
  isAmended: (path: string) => boolean,
): SnapshotFiles {
  const newest = new Map<string, SnapshotFiles>()
  for (const { before, after } of edits)
    for (const path of new Set([...before.files.keys(), ...after.files.keys()]))
      if (isAmended(path) && before.files.get(path)?.id !== after.files.get(path)?.id) newest.set(path, after)
  if (newest.size === 0) return start
  const files = new Map(start.files)
  for (const [path, { files: edited }] of newest) {
    const file = edited.get(path)
    if (file) files.set(path, file)
    else files.delete(path)
  }
  return { files, read: (path) => (newest.get(path) ?? start).read(path) }
}
