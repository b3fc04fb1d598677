import type { EffectOf } from '../core/effect.ts'
import { FILES_KEPT_MAX } from '../core/event-data.ts'
import type { Author } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { filesWords } from '../core/files-words.ts'
import { isLikenessWanted, likenessOf } from './likeness-of.ts'
import { stillOpen, suspicionsIn } from './suspicions-in.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import type { Performance } from './perform.ts'
import { textOf } from './perform-work.ts'
import { restoredData } from './restored-data.ts'

/** Keeps the present tree and says what changed: by the agent, by its session after that, by the checks, or by a person while nobody was driving. */
export async function performObserve(effect: EffectOf<'observe'>, { parts, state, post }: Performance): Promise<void> {
  const { key } = effect
  const { workspace, store, clock } = parts
  const label = labelOf(effect, state)
  const seen = await workspace.observe(state.run, label, state.tree?.snapshot)
  const { tree, snapshot, insertions, deletions } = seen
  const unseen = state.tree === undefined ? await unprotected(workspace, state) : []
  const notes = [...unseen, ...(seen.notes ?? [])]
  // At the first look there is nothing to compare with: whatever is there was there before the run.
  const hasChanged = state.tree !== undefined && tree !== state.tree.tree
  const files = hasChanged ? seen.files : []
  const { output: diff } = hasChanged && seen.diff.text !== '' ? await textOf(store, seen.diff) : {}
  const isCompared = effect.by === 'agent' && hasChanged && isLikenessWanted(state)
  const likeness = isCompared ? await likenessOf(workspace, state, snapshot) : undefined
  const isWork = effect.by === 'agent' || effect.by === 'session'
  const changed = isWork && hasChanged ? await suspicionsIn(workspace, state, seen) : undefined
  const suspicions = changed ?? (effect.by === 'agent' ? stillOpen(state) : [])
  const data = {
    key,
    tree,
    snapshot,
    files: files.slice(0, FILES_KEPT_MAX),
    filesChanged: files.length,
    ...(hasChanged ? { insertions, deletions } : { insertions: 0, deletions: 0 }),
    ...(diff === undefined ? {} : { diff }),
    ...(notes.length === 0 ? {} : { notes: notes.slice(0, NOTES_KEPT_MAX) }),
    ...(likeness === undefined ? {} : { likeness }),
    ...(suspicions.length === 0 ? {} : { suspicions }),
  }
  await post([{ type: 'workspace.observed', at: clock.now(), by: observer(effect, parts, hasChanged), data }])
}

/** Said once, at the first look: a person who protects a file should know that nobody watches it. */
async function unprotected(workspace: Workspace, { run, config: { protect = [] } }: State): Promise<readonly string[]> {
  const names = protect.length === 0 ? [] : ((await workspace.ignored?.(run, protect)) ?? [])
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : ''
  if (names.length === 0) return []
  return [`protect has no effect on ${names.slice(0, NAMES_MAX).join(', ')}${more}: git ignores it, so no change of it is seen.`]
}

const NAMES_MAX = 5

function labelOf({ key, by, iteration }: EffectOf<'observe'>, { workspace, workspaceCause }: State): string {
  if (by !== 'agent') return `${iteration}-${by}-${workspaceCause}`
  return workspace === 'left' ? key.replaceAll('/', '-') : String(iteration)
}

/** Only a person, or a session that goes on by itself, can have changed anything while nobody was driving. */
function observer({ by }: EffectOf<'observe'>, { agent, workspace }: Performance['parts'], hasChanged: boolean): Author {
  if (by === 'agent') return { role: 'workspace', name: workspace.spec.name }
  if (!hasChanged) return { role: 'runner' }
  if (by === 'checks') return { role: 'check' }
  return by === 'session' ? { role: 'agent', name: agent.spec.name } : { role: 'person' }
}

const NOTES_KEPT_MAX = 20

/** Undoes half-done work; what was there is saved first, under a name the fact carries. */
export async function performRestore(
  effect: EffectOf<'restore'>,
  { parts, state, post, onProgress }: Performance,
): Promise<void> {
  const { key, snapshot } = effect
  const known = state.tree?.snapshot === snapshot ? { tree: state.tree.tree } : {}
  const restored = await parts.workspace.restore(state.run, snapshot, known)
  const { savedAs, files } = restored
  if (savedAs !== undefined) {
    const where = files ? ` in ${filesWords(files)}` : ''
    onProgress?.({ key, line: `Half-done work${where} was saved; get it back with: ${parts.workspace.howToRestore(savedAs)}` })
  }
  const data = restoredData(key, restored)
  await post([
    { type: 'workspace.restored', at: parts.clock.now(), by: { role: 'workspace', name: parts.workspace.spec.name }, data },
  ])
}
