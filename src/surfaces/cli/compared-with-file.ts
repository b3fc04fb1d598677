import type { Compared, Proposal } from '../../evidence/proposals.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { CliContext } from './cli-context.ts'
import { loadConfig } from '../../settings/load-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'

/**
 * Compares proposals with what `pawl.yaml` says now. The file is read only where there is something to compare. One that is wrong is an
 * error where it is to be written; where it is only looked at it is warned of, and says nothing.
 */
export async function comparedWithFile<Proposed extends Proposal>(
  context: CliContext,
  proposals: readonly Proposed[],
  isWriting = false,
): Promise<readonly Compared<Proposed>[]> {
  // Only here: what reads the file takes longer to load than the rest.
  const { isInPlace } = await import('./is-in-place.ts')
  const config = proposals.length === 0 ? undefined : await configOf(context, isWriting)
  return proposals.map((proposal) => ({ ...proposal, inPlace: config !== undefined && isInPlace(proposal, config) }))
}

async function configOf({ project, terminal }: CliContext, isWriting: boolean): Promise<PawlConfig | undefined> {
  try {
    return await loadConfig(project.configPath)
  } catch (error) {
    if (isWriting || !(error instanceof PawlError)) throw error
    terminal.warn(error.message)
    return undefined
  }
}
