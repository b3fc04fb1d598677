import { PawlError } from '../core/pawl-error.ts'
import { git, nulEnded, rawNames, withoutOwnFilters } from './git-program.ts'
import { commitAt, type Repository } from './git-repository.ts'
import { openShadow, type Shadow } from './git-shadow.ts'
import { findSnapshot, keepTree } from './git-snapshot.ts'
import { removeByName, writeTree } from './git-tree.ts'
import { snapshotName, WORKTREE_LABEL } from './snapshot-name.ts'
import type { LandResult, MergedTree, Merging, MergeTrees } from './workspace.ts'

/** Merges the trees of snapshots in a repository, byte for byte: without the user's filters, merge drivers and hooks. */
export function gitMerging(project: () => Promise<Repository>): Merging {
  return {
    begin: async (run, parent, tree) => begin(await project(), run, parent, tree),
    merge: async (run, trees) => merge(await project(), run, trees),
    land: async (branch, commit) => land(await project(), branch, commit),
  }
}

async function begin(repository: Repository, run: string, parent: string, tree: string): Promise<void> {
  const whole = { ...repository, prefix: '', folder: repository.top }
  const shadow = await openShadow(whole, run)
  const outside = await findSnapshot(repository, snapshotName(parent, WORKTREE_LABEL))
  const start = repository.prefix === '' ? tree : await withFolder(shadow, outside.tree, repository.prefix, tree)
  await keepTree(shadow, run, WORKTREE_LABEL, start)
}

/** A tree with another one's files in a folder. */
async function withFolder(shadow: Shadow, whole: string, prefix: string, tree: string): Promise<string> {
  const made = await shadow.withIndex(async (indexed) => {
    await indexed(['read-tree', whole])
    await removeByName(indexed, rawNames((await indexed(['ls-files', '-z', '--', `:(literal)${prefix}`])).stdout))
    const inside = rawNames((await indexed(['ls-tree', '-r', '-z', '--full-tree', tree])).stdout)
    await indexed(['update-index', '-z', '--index-info'], { input: nulEnded(inside) })
    return writeTree(indexed)
  })
  await shadow.forgetIndex()
  return made
}

/** Where the merged tree is kept, so that git doesn't clean it up. */
const MERGED_LABEL = 'merged'

async function merge(repository: Repository, run: string, { base, ours, theirs }: MergeTrees): Promise<MergedTree> {
  const shadow = await openShadow(repository, run)
  const start = await commitOf(shadow, base)
  const [our, their] = [await commitOf(shadow, ours, start), await commitOf(shadow, theirs, start)]
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', our, their]
  const { exitCode, stdout, stderr } = await shadow.git(args, { exitCodes: [0, 1, 128, 129] })
  if (exitCode > 1) {
    const old = exitCode === 129 || /not a tree object|unknown option|usage:/.test(stderr)
    if (old)
      throw new PawlError(
        'workspace.git-too-old',
        'Parallel tasks need git 2.38 or newer, for `git merge-tree`.\nUpdate git: https://git-scm.com',
      )
    throw new PawlError('workspace.git-failed', `git merge-tree failed in ${repository.top}: ${stderr.trim()}`)
  }
  // The tree, then the names in conflict, an empty name, and messages: a count of paths, the paths, a kind and a sentence.
  const fields = stdout.toString('utf8').split('\0')
  const [tree = ''] = fields
  const conflicts = exitCode === 0 ? [] : conflictLines(fields)
  await keepTree(shadow, run, MERGED_LABEL, tree.trim())
  return { tree: tree.trim(), conflicts }
}

function conflictLines(fields: readonly string[]): readonly string[] {
  const end = fields.indexOf('', 1)
  const lines: string[] = []
  for (let at = end + 1; at < fields.length;) {
    const count = Number(fields[at])
    if (fields[at] === '' || !Number.isInteger(count)) break
    const kind = fields[at + count + 1] ?? ''
    const sentence = fields[at + count + 2] ?? ''
    if (kind.startsWith('CONFLICT')) lines.push(sentence.trim())
    at += count + 3
  }
  return lines.length > 0 ? lines : fields.slice(1, end).map((name) => `CONFLICT in ${name}`)
}

/** A commit that only `git merge-tree` sees. */
async function commitOf(shadow: Shadow, tree: string, parent?: string): Promise<string> {
  const parents = parent === undefined ? [] : ['-p', parent]
  return (await shadow.git(['commit-tree', '--no-gpg-sign', '-m', 'pawl', ...parents, tree])).stdout.toString('utf8').trim()
}

async function land(repository: Repository, branch: string, commit: string): Promise<LandResult> {
  const { top } = repository
  const ref = `refs/heads/${branch}`
  const tip = await commitAt(repository, ref)
  if (tip === undefined) return 'no-branch'
  const isAncestor = async (one: string, other: string): Promise<boolean> =>
    (await git(['merge-base', '--is-ancestor', one, other], { cwd: top, exitCodes: [0, 1] })).exitCode === 0
  if (await isAncestor(commit, tip)) return 'done'
  if (!(await isAncestor(tip, commit))) return 'diverged'
  const place = (await git(['for-each-ref', '--format=%(worktreepath)', ref], { cwd: top })).stdout.toString('utf8').trim()
  if (place === '') {
    await git(['update-ref', '-m', 'pawl', ref, commit, tip], { cwd: top })
    return 'done'
  }
  // Git itself refuses if files of the user's would be overwritten.
  const env = await withoutOwnFilters(place, true)
  const merged = await git(['merge', '--ff-only', '--no-stat', commit], { cwd: place, env, exitCodes: [0, 1, 128] })
  return merged.exitCode === 0 ? 'done' : 'in-the-way'
}
