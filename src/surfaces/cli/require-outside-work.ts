import { PawlError } from '../../core/pawl-error.ts'

/**
 * Refuses what only a person may do with a run, where it is called from within that run's own work: an agent must not answer its own
 * questions, nor end or change what keeps it in check. Pawl tells every program that works for a run which run it is.
 */
export function requireOutsideWork(run: string, done: 'aborted' | 'answered' | 'resumed' | 'restored' | 'bound'): void {
  if (process.env['PAWL_RUN'] !== run) return
  throw new PawlError(
    'run.own-work',
    `Run ${run} cannot be ${done} from within its own work (PAWL_RUN names it): an agent that wants that says so in its answer, and a person decides, from a terminal of their own.`,
    { value: run },
  )
}
