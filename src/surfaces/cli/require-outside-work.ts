import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { processAround } from '../../process/process-identity.ts'
import { loadState } from '../../engine/session.ts'
import type { CliContext } from './cli-context.ts'
import { withExistingStore } from './commands/existing-store.ts'

/**
 * Refuses what only a person may do with a run, where it is called from within that run's own work: an agent must not answer its own
 * questions, nor end or change what keeps it in check. Pawl tells every program that works for a run which run it is, and knows the
 * processes that it started: an agent that forgets the one still descends from the other.
 */
export async function requireOutsideWork(
  context: CliContext,
  run: string,
  done: 'aborted' | 'answered' | 'resumed' | 'restored' | 'bound' | 'cleaned',
): Promise<void> {
  const sign = process.env['PAWL_RUN'] === run ? 'PAWL_RUN names it' : await startedBy(context, run)
  if (sign === undefined) return
  throw new PawlError(
    'run.own-work',
    `Run ${run} cannot be ${done} from within its own work (${sign}): an agent that wants that says so in its answer, and a person decides, from a terminal of their own.`,
    { value: run },
  )
}

async function startedBy(context: CliContext, run: string): Promise<string | undefined> {
  const state = await withExistingStore(context, (store) => loadState(store, run, builtInFolds))
  const open = state?.current.effects.filter(({ status }) => status === 'open') ?? []
  const around = processAround(open.flatMap(({ process }) => process ?? []))
  return around && `process ${around.pid}, which works for it, started this command`
}
