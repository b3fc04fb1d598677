import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { RunConfig } from '../../core/run-config.ts'
import { counted } from '../../core/wording.ts'
import type { Project } from '../../settings/find-project.ts'
import { listWorktrees } from '../../registry/workspace-tools.ts'

/** Worktrees of other runs in the folder in which a run begins: programs that look for tests may find those in there too. */
export async function othersLine({ root }: Project, { workspace }: RunConfig): Promise<string | undefined> {
  const { path = '.', worktree } = workspace.settings
  if (workspace.name !== 'git' || worktree === true) return undefined
  const others = await listWorktrees(resolve(root, String(path)))
  if (others.length === 0) return undefined
  const what = `${counted(others.length, 'worktree')} of other runs in .pawl/worktrees, where test runners may find tests`
  return `${what}; pawl clean removes those of runs that are over, pawl clean RUN any`
}

/** Where the work of a completed run is, and how to bring it over; nothing where it is in the folder itself. */
export function whereLine({ root }: Project, run: string, { workspace }: RunConfig): string | undefined {
  const { path = '.', worktree } = workspace.settings
  if (worktree !== true) return undefined
  const folder = resolve(root, String(path), '.pawl', 'worktrees', run)
  const bring = `bring it over with: pawl diff ${run} --total | git apply`
  // It may have been removed since.
  if (!existsSync(folder)) return `The work is kept as snapshots; ${bring}`
  return `The work is in ${relative(root, folder)} (pawl clean ${run} removes that folder afterwards); ${bring}`
}
