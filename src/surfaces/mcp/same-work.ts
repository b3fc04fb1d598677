import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { ToolSession } from './tool-session.ts'

/** How much of what an agent said is kept, counted from its end. */
export const OUTPUT_LENGTH_MAX = 200_000

/** The files are as the checks found or left them, and no rule looks at words that were not known then. */
export async function isSameWork(session: ToolSession, agentOutput: string | undefined): Promise<boolean> {
  const { parts, state: present } = session
  const { current, config } = present()
  if (!(await isSameTree(session))) return false
  const isLookedAt = config.checks.some(({ settings }) => settings['target'] === 'agent_output')
  if (!isLookedAt || agentOutput === undefined) return true
  const { sha256 } = await parts.store.putText({ text: agentOutput.slice(-OUTPUT_LENGTH_MAX), bytesCut: 0 })
  return current.work.at(-1)?.output?.sha256 === sha256
}

/** Remembers the files as the checks left them: what a check wrote, a log or a cache, is no work of the agent. */
export async function keepChecked({ parts, run, state }: ToolSession): Promise<void> {
  if (state().tree) await parts.workspace.observe(run, checkedLabel(state()), state().tree?.snapshot)
}

async function isSameTree({ parts, run, state }: ToolSession): Promise<boolean> {
  const { tree } = state()
  await parts.workspace.open(run, tree?.snapshot)
  const seen = await parts.workspace.observe(run, LOOK_LABEL, tree?.snapshot)
  if (seen.tree === tree?.tree) return true
  const checked = `${seen.snapshot.slice(0, -LOOK_LABEL.length)}${checkedLabel(state())}`
  try {
    return (await parts.workspace.diff(checked, seen.snapshot)).text === ''
  } catch (error) {
    // The server ended between the checks and the look after them: then nobody knows who wrote what, and it is checked again.
    if (error instanceof PawlError && error.code === 'workspace.snapshot-missing') return false
    throw error
  }
}

const LOOK_LABEL = 'look'

/** Checks that were run again, on files that changed, left other files behind. */
function checkedLabel({ current: { number, checkRound = 0 } }: State): string {
  return `${number}-checked-${checkRound}`
}
