import { builtInFolds } from '../../loops/evolve.ts'
import { dirname } from 'node:path'
import { outcomeOf } from '../../core/outcome-of.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { Store } from '../../stores/store.ts'
import { bindRun } from '../../engine/bind-run.ts'
import { loadState } from '../../engine/session.ts'
import { openRun } from '../../engine/until-work.ts'
import type { BoundSession } from '../../engine/bound-sessions.ts'
import { withHistory } from '../../evidence/own-history.ts'
import { outsideAgent, partsFrom } from '../../registry/parts-from.ts'
import type { CliContext } from './cli-context.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

/**
 * Takes a run up to its next brief, makes it belong to an agent's session and tells what is to be done: nothing is started, since the
 * agent is the one who asks. From here on its hook keeps it going.
 */
export async function openForSession(
  { project, terminal, isJson }: CliContext,
  store: Store,
  run: string,
  { config, session }: { readonly config: RunConfig; readonly session: BoundSession },
): Promise<number> {
  // Its program is not looked for: it may be an extension of an editor, or have another name.
  const given = await withHistory(config, await loadState(store, run, builtInFolds), store, project.storePath)
  const { storePath } = project
  const parts = await partsFrom(given, { store, storePath, agent: outsideAgent(config.agent) })
  const { state, step } = await openRun(parts, run)
  const work = step.kind === 'perform' ? step.effects.find((effect) => effect.kind === 'work') : undefined
  if (!work) {
    if (isJson) terminal.json(outcomeOf(state))
    else terminal.say(`Run ${run}: ${state.message}`)
    return exitCodeOf(outcomeOf(state).status)
  }
  await bindRun({ ...parts, folder: dirname(project.storePath), isForced: true }, run, session)
  if (isJson) terminal.json({ run, ...session, brief: work.brief })
  else for (const line of [...work.brief.trimEnd().split('\n'), '', told(run)]) terminal.say(line)
  return EXIT.done
}

function told(run: string): string {
  return `(Run ${run} belongs to this session now: work on it and end your turn. The checks are run then, and you are told what fails.)`
}
