import type { EffectOf } from '../core/effect.ts'
import { type EventData, FILES_KEPT_MAX, type Likeness } from '../core/event-data.ts'
import type { Author } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { diffFiles } from '../core/measures/diff-files.ts'
import { isTestFile } from '../core/measures/test-file.ts'
import { filesWords, shortened } from '../core/wording.ts'
import { packagesIn } from '../proof/packages.ts'
import { stillOpen, suspicionsIn } from './test-edits/suspicions.ts'
import type { Restoration, Workspace } from '../workspaces/workspace.ts'
import { requireOnlyOwnChanges } from './changed-since.ts'
import type { Performance } from './performance.ts'
import { textOf } from './perform-work.ts'
import type { GuardSpec, PartSpec } from '../core/run-config.ts'
import { patchSimilarity, sequenceRatio } from '../similarity/index.ts'

/** Keeps the present tree and says what changed: by the agent, by its session after that, by the checks, or by a person while nobody was driving. */
export async function performObserve(effect: EffectOf<'observe'>, { parts, state, cwd, post }: Performance): Promise<void> {
  const { key } = effect
  const { workspace, store, clock } = parts
  const label = labelOf(effect, state)
  const seen = await workspace.observe(state.run, label, state.tree?.snapshot)
  const { tree, snapshot, insertions, deletions } = seen
  const unseen = state.tree === undefined ? await unprotected(workspace, state) : []
  const all = [...unseen, ...(seen.notes ?? [])]
  const notes = all.slice(0, NOTES_KEPT_MAX)
  const leftOut = Math.max(0, (seen.leftOut ?? 0) - (all.length - notes.length))
  // At the first look there is nothing to compare with: whatever is there was there before the run.
  const hasChanged = state.tree !== undefined && tree !== state.tree.tree
  const files = hasChanged ? seen.files : []
  const { output: diff } = hasChanged && seen.diff.text !== '' ? await textOf(store, seen.diff) : {}
  const isCompared = effect.by === 'agent' && hasChanged && isLikenessWanted(state)
  const likeness = isCompared ? await likenessOf(workspace, state, snapshot) : undefined
  const isWork = effect.by === 'agent' || effect.by === 'session'
  const changed = isWork && hasChanged ? await suspicionsIn(workspace, state, seen) : undefined
  const suspicions = changed ?? (effect.by === 'agent' ? stillOpen(state) : [])
  const isFirst = state.tree === undefined && state.config.proof !== false && workspace.filesOf !== undefined
  const installed = isFirst ? await packagesIn(cwd, (await workspace.leftOut?.(state.run)) ?? []) : ''
  const { output: packages } = await textOf(store, { text: installed, bytesCut: 0 })
  const data = {
    key,
    tree,
    snapshot,
    files: files.slice(0, FILES_KEPT_MAX),
    filesChanged: files.length,
    ...(hasChanged ? { insertions, deletions } : { insertions: 0, deletions: 0 }),
    ...(diff === undefined ? {} : { diff }),
    ...(effect.by === 'agent' && diff !== undefined ? linesOf(seen.diff.text) : {}),
    ...(notes.length === 0 ? {} : { notes }),
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(packages === undefined ? {} : { packages }),
    ...(likeness === undefined ? {} : { likeness }),
    ...(suspicions.length === 0 ? {} : { suspicions }),
  }
  await post([{ type: 'workspace.observed', at: clock.now(), by: observer(effect, parts, hasChanged), data }])
}

/** The first lines that an agent changed, code before tests: enough to tell one attempt from another. */
function linesOf(diff: string): Pick<EventData['workspace.observed'], 'lines'> {
  const files = diffFiles(diff.slice(0, DIFF_READ_MAX))
  let left = LINES_TOLD_MAX
  const told = files
    .toSorted((one, other) => Number(isTestFile(one.path)) - Number(isTestFile(other.path)))
    .flatMap(({ path, hunks }) => {
      const changed = hunks.flatMap((hunk) => hunk.lines).filter(({ sign, text }) => sign !== ' ' && /\w/.test(text))
      const lines = changed.slice(0, left).map(({ sign, text }) => `${sign}${shortened(text.trim(), LINE_LENGTH_MAX)}`)
      left -= lines.length
      return lines.length === 0 ? [] : [{ path, lines }]
    })
  return told.length === 0 ? {} : { lines: told }
}

const DIFF_READ_MAX = 20_000
const LINES_TOLD_MAX = 12
const LINE_LENGTH_MAX = 80

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

/** Only a person, or a session that continues by itself, can have changed anything while nobody was driving. */
function observer({ by }: EffectOf<'observe'>, { agent, workspace }: Performance['parts'], hasChanged: boolean): Author {
  if (by === 'agent') return { role: 'workspace', name: workspace.spec.name }
  if (!hasChanged) return { role: 'runner' }
  if (by === 'checks') return { role: 'check' }
  return by === 'session' ? { role: 'agent', name: agent.spec.name } : { role: 'person' }
}

const NOTES_KEPT_MAX = 20

/** Undoes half-done work; what was there is saved first, under a name the fact carries. */
export async function performRestore(effect: EffectOf<'restore'>, performance: Performance): Promise<void> {
  const { parts, state, post, onProgress } = performance
  const { key, snapshot } = effect
  await requireOnlyOwnChanges(performance, snapshot)
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

/** Whether a guard or the loop has a `similarityMin`. */
function isLikenessWanted({ config: { loop, guards } }: State): boolean {
  return asksForLikeness(loop) || guards.some(asksForLikeness)
}

/**
 * How much the work as a whole is like what it was an iteration ago: both patches begin where the work on the goal began. Where one who
 * wants it says `by: 'characters'`, with the ratio of characters too.
 */
async function likenessOf(workspace: Workspace, state: State, snapshot: string): Promise<Likeness | undefined> {
  const { base, tree, current } = state
  if (!base || !tree || current.number < 2) return undefined
  const before = (await workspace.diff(base.snapshot, tree.snapshot)).text
  const now = (await workspace.diff(base.snapshot, snapshot)).text
  if (before.trim() === '' || now.trim() === '') return undefined
  const { similarity, linesDiffering } = patchSimilarity(before, now)
  const isSmall = before.length + now.length <= CHARACTERS_COMPARED_MAX
  const { loop, guards } = state.config
  const asking = [loop, ...guards.flatMap(withParts)].filter(({ settings }) => settings['similarityMin'] !== undefined)
  const wantsCharacters = isSmall && asking.some(({ settings }) => settings['by'] === 'characters')
  return { lines: similarity, linesDiffering, ...(wantsCharacters ? { characters: sequenceRatio(before, now) } : {}) }
}

/** The exact ratio may take long for what is long and repeats itself; a guard without it says nothing. */
const CHARACTERS_COMPARED_MAX = 1_000_000

function asksForLikeness({ settings, parts }: PartSpec & Pick<GuardSpec, 'parts'>): boolean {
  return settings['similarityMin'] !== undefined || (parts?.some(asksForLikeness) ?? false)
}

function withParts(spec: GuardSpec): readonly PartSpec[] {
  return [spec, ...(spec.parts ?? []).flatMap(withParts)]
}

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

/** What a restore came to, as a fact has it. */
export function restoredData(key: string, { tree, savedAs, files }: Restoration): EventData['workspace.restored'] {
  return {
    key,
    tree,
    ...(savedAs === undefined ? {} : { savedAs }),
    ...(files === undefined ? {} : { files: files.slice(0, FILES_KEPT_MAX), filesChanged: files.length }),
  }
}
