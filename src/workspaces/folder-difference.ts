import type { FileChange } from '../core/event-data.ts'
import type { Captured } from '../process/output.ts'
import { cappedDiff } from './capped-diff.ts'
import { entryChanges, type FolderEntry } from './folder-manifest.ts'
import { readContent } from './folder-objects.ts'
import { unifiedDiff, type FileVersion } from './unified-diff.ts'

export interface FolderDifference {
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
  readonly diff: Captured
}

/** What differs between two trees, as a list, as counts and as a patch. A file above 32 MB is named only, like a binary one. */
export async function folderDifference(
  store: string,
  before: readonly FolderEntry[],
  after: readonly FolderEntry[],
): Promise<FolderDifference> {
  const changes = entryChanges(before, after)
  const counts = { insertions: 0, deletions: 0 }
  async function* patches(): AsyncGenerator<Buffer> {
    for (const change of changes) {
      const versions = [await versionOf(store, change.before), await versionOf(store, change.after)] as const
      const { text, insertions, deletions } = unifiedDiff(change.path, ...versions)
      counts.insertions += insertions
      counts.deletions += deletions
      yield text
    }
  }
  const diff = await cappedDiff(patches())
  return { files: changes.map(({ path, change }) => ({ path, change })), ...counts, diff }
}

const COMPARED_BYTES_MAX = 32 * 1024 * 1024

async function versionOf(store: string, entry: FolderEntry | undefined): Promise<FileVersion | undefined> {
  if (entry === undefined) return undefined
  if (entry.kind === 'link') return { mode: '120000', content: Buffer.from(entry.target) }
  const mode = entry.mode & 0o100 ? '100755' : '100644'
  // A zero byte before its hash makes it binary, and different from every other content.
  const stand = Buffer.from(`\0${entry.sha256}`)
  return { mode, content: entry.bytes > COMPARED_BYTES_MAX ? stand : await readContent(store, entry.sha256) }
}
