import type { Performance } from './perform.ts'
import { restoredData } from './restored-data.ts'

/** Who only looks (a reviewer, a planner) changes nothing: edits are saved and undone, so that what was judged is what stays. */
export async function putBack(
  { key, iteration }: { readonly key: string; readonly iteration: number },
  who: 'reviewer' | 'planner',
  { parts, state, post, onProgress }: Performance,
): Promise<void> {
  const { workspace, clock } = parts
  if (!state.tree) return
  const seen = await workspace.observe(state.run, `${iteration}-${who === 'reviewer' ? 'review' : who}`, state.tree.snapshot)
  if (seen.tree === state.tree.tree) return
  const restored = await workspace.restore(state.run, state.tree.snapshot, { tree: state.tree.tree })
  onProgress?.({ key, line: `The ${who} changed files; they were put back.` })
  const data = restoredData(`${key}/restore`, restored)
  await post([{ type: 'workspace.restored', at: clock.now(), by: { role: 'workspace', name: workspace.spec.name }, data }])
}
