import type { Likeness } from '../core/event-data.ts'
import type { GuardSpec, PartSpec } from '../core/run-config.ts'
import { patchSimilarity, sequenceRatio } from '../similarity/index.ts'
import type { State } from '../core/state.ts'
import type { Workspace } from '../workspaces/workspace.ts'

/** Whether a guard or the loop has a `similarityMin`. */
export function isLikenessWanted({ config: { loop, guards } }: State): boolean {
  return asksForLikeness(loop) || guards.some(asksForLikeness)
}

/**
 * How much the work as a whole is like what it was an iteration ago: both patches begin where the work on the goal began. Where one who
 * wants it says `by: 'characters'`, with the ratio of characters too.
 */
export async function likenessOf(workspace: Workspace, state: State, snapshot: string): Promise<Likeness | undefined> {
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
