import { counted } from '../core/wording.ts'
import type { WorktreeLosses } from '../surfaces/cli/compose.ts'

/** What would be gone with a worktree, one line for each kind of it. */
export function lossWords({ ignored, leftOut, outside, commits }: WorktreeLosses): readonly string[] {
  const [commit = ''] = commits
  return [
    ...(ignored.length > 0 ? [`${listed(ignored)}, which git ignores`] : []),
    ...leftOut.map((note) => note.replace('left out: ', '')),
    ...(outside.length > 0 ? [`changes outside the folder of the run: ${listed(outside)}`] : []),
    ...(commits.length > 0
      ? [`${counted(commits.length, 'commit')} on no branch; kept by: git branch NAME ${commit.slice(0, 12)}`]
      : []),
  ]
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : ''
  return `${names.slice(0, NAMES_MAX).join(', ')}${more}`
}

const NAMES_MAX = 5
