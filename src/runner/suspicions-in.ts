import { stillSuspicious, testEdits } from '../core/measures/test-edits.ts'
import type { State } from '../core/state.ts'
import { SUSPICIONS_MAX, type Suspicion } from '../core/suspicion.ts'
import type { Observation, Workspace } from '../ports/workspace.ts'
import { protectedEdits } from './protected-files.ts'

/**
 * What the agent did, between the last look and this one, to what its work is checked by. Tests that it wrote itself since the first
 * work on the goal are its own: only what is a loss against that tree, too, is held against it.
 */
export async function suspicionsIn(
  workspace: Workspace,
  { base, tree, config, recent, baseline }: Pick<State, 'base' | 'tree' | 'config' | 'recent' | 'baseline'>,
  { files, diff, snapshot }: Observation,
): Promise<readonly Suspicion[]> {
  const failing = recent.at(-1)?.failures ?? baseline?.failures ?? []
  const edits = testEdits(diff.text, { files, failing })
  const isFirst = base === undefined || base.snapshot === tree?.snapshot
  const held =
    edits.length === 0 || isFirst
      ? edits
      : stillSuspicious(edits, testEdits((await workspace.diff(base.snapshot, snapshot)).text, { failing }))
  return [...protectedEdits(files, config.protect ?? [], diff.text), ...held].slice(0, SUSPICIONS_MAX)
}
