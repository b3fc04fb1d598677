import type { FileChange } from '../core/event-data.ts'
import type { Captured } from '../process/output.ts'
import { cappedDiff } from './capped-diff.ts'
import { rawNames, readableName } from './git-program.ts'
import type { Shadow } from './git-shadow.ts'

/** One path that differs between two trees, as git lists it. */
export interface TreeChange {
  /** Relative to the top of the work tree. */
  readonly name: string
  readonly change: FileChange['change']
}

export interface Difference {
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
}

/** What differs between two trees: paths relative to the folder, renames as one deletion and one addition. */
export async function treeDifference(shadow: Shadow, from: string, to: string): Promise<Difference> {
  const words = rawNames((await shadow.git(['diff-tree', '-z', '--raw', '--numstat', ...options(shadow), from, to])).stdout)
  const files: FileChange[] = []
  let insertions = 0
  let deletions = 0
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word.startsWith(':')) {
      index += 1
      files.push({ path: readableName(words[index]!), change: changeOf(word) })
    } else {
      const [added = '', removed = ''] = word.split('\t')
      // Binary files have a dash here.
      insertions += Number.parseInt(added, 10) || 0
      deletions += Number.parseInt(removed, 10) || 0
    }
  }
  return { files, insertions, deletions }
}

/** The same as unified text, within the caps. Binary files are named only. */
export function diffText(shadow: Shadow, from: string, to: string): Promise<Captured> {
  return cappedDiff(shadow.chunks(['diff-tree', '--patch', '--abbrev=12', '--unified=3', ...options(shadow), from, to]))
}

/** Every path that differs, as raw names from the top: what a restore has to do. */
export async function treeChanges(shadow: Shadow, from: string, to: string): Promise<TreeChange[]> {
  const listed = await shadow.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-relative', from, to])
  const words = rawNames(listed.stdout)
  return Array.from({ length: words.length / 2 }, (_, pair) => ({
    name: words[pair * 2 + 1]!,
    change: changeOf(words[pair * 2]!),
  }))
}

function options({ repository: { prefix } }: Shadow): string[] {
  const relative = prefix === '' ? '--no-relative' : `--relative=${readableName(prefix)}`
  return ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', relative]
}

function changeOf(rawLine: string): FileChange['change'] {
  const status = rawLine.at(-1)
  if (status === 'A') return 'added'
  return status === 'D' ? 'deleted' : 'modified'
}
