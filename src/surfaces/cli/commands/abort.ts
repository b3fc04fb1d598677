import { machineProcesses } from '../../../process/processes.ts'
import { abortRun } from '../../../engine/person-facts.ts'
import { systemClock } from '../../../process/clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { requireOutsideWork } from '../run-permissions.ts'

/** Ends a run for good. Whoever drives it stops its agent; an agent whose driver is gone is ended here. */
export async function abort(context: CliContext, flags: { readonly reason?: string }, run: string): Promise<number> {
  await requireOutsideWork(context, run, 'aborted')
  return withStore(context, async (store) => {
    await abortRun({ store, clock: systemClock, processes: machineProcesses }, run, flags.reason)
    if (context.isJson) context.terminal.json({ run, status: 'aborted' })
    else context.terminal.say(`Aborted ${run}. Its files stay as they are; pawl restore ${run} goes back to its best iteration.`)
    return EXIT.done
  })
}
