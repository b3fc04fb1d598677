import { childEnvironment } from '../process/command-options.ts'
import { resolveProgram } from '../process/find-program.ts'
import { AGENT_PRESETS } from './agent-presets.ts'

/** A preset that can be run here. */
export interface FoundAgent {
  readonly name: string
  /** Where its program is; absent for the agent that comes with Pawl. */
  readonly path?: string
}

/** The presets that can be run here, in their order: those with a program on the PATH, and Pawl's own. */
export async function findAgents(folder: string): Promise<readonly FoundAgent[]> {
  const path = childEnvironment([], {})['PATH']
  const found = Object.entries(AGENT_PRESETS).map(async ([name, { program }]): Promise<readonly FoundAgent[]> => {
    if (program === undefined) return [{ name }]
    const resolved = await resolveProgram(program, folder, path)
    return resolved.status === 'found' ? [{ name, path: resolved.path }] : []
  })
  return (await Promise.all(found)).flat()
}
