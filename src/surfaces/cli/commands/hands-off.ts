import type { ProcessIdentity } from '../../../core/event-data.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import type { RunView } from '../../../present/run-view.ts'

/** Asks the person at the terminal before files are changed. */
export async function askOnTerminal(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message, initialValue: true })) === true
}

/** Says that another process drives the run, whose files therefore stay as they are; answers with the exit code for that. */
export function tellHeld({ terminal, isJson }: CliContext, run: string, holder: ProcessIdentity): number {
  if (isJson) terminal.json({ status: 'held', run, holder })
  else
    terminal.warn(
      `Process ${holder.pid} on ${holder.host} drives run ${run} now: pause it first (Ctrl-C there), or end it with pawl abort ${run}.`,
    )
  return EXIT.held
}

/** Refuses where an agent has outlived its runner; two hands in the same files would spoil both. */
export function requireNobodyAtWork({ run, underWay }: RunView): void {
  const alive = underWay.find(({ process }) => process && isProcessAlive(process) === true)
  if (!alive?.process) return
  const { pid, host } = alive.process
  throw new PawlError(
    'run.at-work',
    `The ${alive.kind === 'work' ? 'agent' : alive.kind} of run ${run} is still at work as process ${pid} on ${host}, though its runner is gone: pawl resume ${run} ends it and goes on.`,
    { value: pid },
  )
}
