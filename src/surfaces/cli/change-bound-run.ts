import { type Bound, sessionWords } from '../../core/bound-words.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { outcomeOf } from '../../core/outcome-of.ts'
import type { Store } from '../../stores/store.ts'
import { openRun } from '../../engine/until-work.ts'
import type { CliContext } from './cli-context.ts'
import { outsideAgent, partsFrom } from '../../registry/parts-from.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

/**
 * Gives a run that belongs to a session another configuration: a check that was mistyped, a raised limit. No agent is started; what
 * the new checks say of the work is found out at once where that was asked about.
 */
export async function changeBoundRun(
  { project, terminal, isJson }: CliContext,
  store: Store,
  run: string,
  { config, bound }: { readonly config: RunConfig; readonly bound: Bound },
): Promise<number> {
  const { storePath } = project
  const { state } = await openRun(await partsFrom(config, { store, storePath, agent: outsideAgent(config.agent) }), run)
  const outcome = outcomeOf(state)
  if (isJson) terminal.json({ ...outcome, bound: { agent: bound.agent, session: bound.session } })
  else {
    const { message, status } = state
    const goesOn = status === 'running' ? ` It goes on when ${sessionWords(bound)} ends its turn.` : ''
    terminal.say(`Run ${run} is changed. ${message}${goesOn}`)
  }
  return state.status === 'running' ? EXIT.done : exitCodeOf(outcome.status)
}
