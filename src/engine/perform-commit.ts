import type { EffectOf } from '../core/effect.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Performance } from './perform.ts'

/** Commits what was approved, or what was there before. A workspace that cannot is a problem for a person: the work itself is done and stays. */
export async function performCommit(effect: EffectOf<'commit'>, { parts, state, post }: Performance): Promise<void> {
  const { key, item, branch, message } = effect
  const { workspace, clock } = parts
  const by = { role: 'workspace', name: workspace.spec.name } as const
  if (!workspace.commit) {
    const trouble = {
      message: `The workspace "${workspace.spec.name}" has no branches to commit to.`,
      fix: 'Use git, or go on without commits.',
    }
    const data = { key, reason: 'failed', fault: 'config', durationMs: 0, ...trouble } as const
    return post([{ type: 'work.failed', at: clock.now(), by, data }])
  }
  try {
    const after = state.branchTip === undefined ? {} : { after: state.branchTip }
    const made = await workspace.commit(state.run, { key, branch, message, ...after })
    await post([{ type: 'commit.created', at: clock.now(), by, data: { key, item, branch, ...made } }])
  } catch (error) {
    if (!(error instanceof PawlError) || !error.code.startsWith('workspace.')) throw error
    const data = { key, reason: 'failed', fault: 'environment', message: error.message, durationMs: 0 } as const
    await post([{ type: 'work.failed', at: clock.now(), by, data }])
  }
}
