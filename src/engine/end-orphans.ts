import { PawlError } from '../core/pawl-error.ts'
import type { EffectProgress, State } from '../core/state.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Processes } from '../process/processes.ts'

export interface OrphanEnd {
  readonly effect: EffectProgress
  /** What was done about it, as the end of a sentence; empty if nothing had to be done. */
  readonly message: string
}

/**
 * Ends what outlived its runner. Throws `run.agent-alive` when something cannot be ended: two agents in one folder would undo each
 * other's work.
 */
export async function endOpenEffects(processes: Processes, { run, current }: State): Promise<readonly OrphanEnd[]> {
  const ends: OrphanEnd[] = []
  for (const effect of current.effects) {
    if (effect.status !== 'open') continue
    ends.push({ effect, message: effect.process ? await ended(processes, run, effect.process) : '' })
  }
  return ends
}

async function ended(processes: Processes, run: string, process: ProcessIdentity): Promise<string> {
  const { pid, host } = process
  switch (await processes.end(process)) {
    case 'ended':
      return '; the agent was still at work and was ended'
    case 'left-alone':
      return `; whether its process ${pid} on ${host} still runs cannot be told from here, and it was left alone`
    case 'gone':
      return ''
    case 'alive':
      throw new PawlError(
        'run.agent-alive',
        `Process group ${pid} of run ${run} is still at work and could not be ended: end it (kill -9 -${pid}), then resume.`,
      )
  }
}
