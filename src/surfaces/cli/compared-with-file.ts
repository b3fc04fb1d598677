import type { Proposal } from '../../core/analytics/proposals.ts'
import type { CliContext } from './cli-context.ts'
import { loadConfig } from './config/load-config.ts'

/** A proposal, and whether `pawl.yaml` says so already. */
export type Compared<Proposed extends Proposal> = Proposed & { readonly inPlace: boolean }

/** Compares proposals with what `pawl.yaml` says now. The file is read only where there is something to compare. */
export async function comparedWithFile<Proposed extends Proposal>(
  { project }: CliContext,
  proposals: readonly Proposed[],
): Promise<readonly Compared<Proposed>[]> {
  // Only here: what reads the file takes longer to load than the rest.
  const { isInPlace } = await import('./is-in-place.ts')
  const config = proposals.length === 0 ? undefined : await loadConfig(project.configPath)
  return proposals.map((proposal) => ({ ...proposal, inPlace: config !== undefined && isInPlace(proposal, config) }))
}

/** What to say of proposals that the file follows already; nothing where there is none. */
export function inPlaceWords(proposals: readonly Compared<Proposal>[]): readonly string[] {
  const guards = proposals.filter(({ inPlace }) => inPlace).map(({ guard }) => guard)
  if (guards.length === 0) return []
  return [`Already as proposed: pawl.yaml says what these runs speak for (${guards.join(', ')}). It holds for the next run.`]
}
