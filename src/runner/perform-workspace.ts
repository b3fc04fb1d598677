import type { EffectOf } from '../core/effect.ts'
import { FILES_KEPT_MAX } from '../core/event-data.ts'
import type { Author } from '../core/event.ts'
import type { Performance } from './perform.ts'
import { textOf } from './perform-work.ts'

/** Keeps the present tree and says what changed: by the agent, or by a person while nobody was driving. */
export async function performObserve(effect: EffectOf<'observe'>, { parts, state, post }: Performance): Promise<void> {
  const { key, iteration } = effect
  const isOutside = effect.by === 'person'
  const label = isOutside ? `${iteration}-person-${state.workspaceCause}` : String(iteration)
  const { tree, snapshot, files, insertions, deletions, diff } = await parts.workspace.observe(
    state.run,
    label,
    state.tree?.snapshot,
  )
  const hasChanged = tree !== state.tree?.tree
  const by: Author = isOutside
    ? { role: hasChanged ? 'person' : 'runner' }
    : { role: 'workspace', name: parts.workspace.spec.name }
  const { output } = iteration === 0 || !hasChanged ? {} : await textOf(parts.store, diff)
  const filesChanged = iteration === 0 ? 0 : files.length
  const kept = iteration === 0 ? [] : files.slice(0, FILES_KEPT_MAX)
  const data = {
    key,
    tree,
    snapshot,
    files: kept,
    filesChanged,
    insertions,
    deletions,
    ...(output === undefined ? {} : { diff: output }),
  }
  await post([{ type: 'workspace.observed', at: parts.clock.now(), by, data }])
}

/** Undoes half-done work; what was there is saved first, under a name the fact carries. */
export async function performRestore(
  effect: EffectOf<'restore'>,
  { parts, state, post, onProgress }: Performance,
): Promise<void> {
  const { key, snapshot } = effect
  const { tree, savedAs } = await parts.workspace.restore(state.run, snapshot)
  if (savedAs !== undefined) {
    onProgress?.({ key, line: `Half-done work was saved; get it back with: ${parts.workspace.howToRestore(savedAs)}` })
  }
  const data = { key, tree, ...(savedAs === undefined ? {} : { savedAs }) }
  await post([
    { type: 'workspace.restored', at: parts.clock.now(), by: { role: 'workspace', name: parts.workspace.spec.name }, data },
  ])
}
