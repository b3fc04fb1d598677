import { builtInFolds } from '../../loops/evolve.ts'
import { resolve } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { Store } from '../../stores/store.ts'
import type { Parts } from '../../engine/parts.ts'
import { loadState, openSession, TakenOver } from '../../engine/session.ts'
import { untilWork } from '../../engine/until-work.ts'
import type { CliContext } from './cli-context.ts'
import { outsideAgent, partsFrom } from '../../registry/parts-from.ts'

/**
 * Draws what follows from an answer that ends a run of another program, so that nobody has to wait for an agent that may be gone. No
 * agent is started. `undefined` where it is left to that program: the answer goes on, another process has the run, or the run has parts
 * that only the program can build.
 */
export async function settleAnswer(context: CliContext, store: Store, run: string): Promise<State | undefined> {
  const state = await loadState(store, run, builtInFolds)
  if (state?.answer?.kind !== 'accept' && state?.answer?.kind !== 'abort') return undefined
  const parts = await buildable(context, store, state)
  if (!parts) return undefined
  const session = await openSession(parts, run)
  if (session.status === 'held') return undefined
  try {
    return (await untilWork(session, parts, [])).state
  } catch (error) {
    if (error instanceof TakenOver) return undefined
    throw error
  } finally {
    await session.close()
  }
}

async function buildable({ project }: CliContext, store: Store, { config }: State): Promise<Parts | undefined> {
  const { roles: _played, questioner: _asked, workspace, ...rest } = config
  const { path } = workspace.settings
  // A relative path counts from the project's folder, wherever the command was typed.
  const settings = typeof path === 'string' ? { ...workspace.settings, path: resolve(project.root, path) } : workspace.settings
  try {
    const { storePath } = project
    const agent = outsideAgent(config.agent)
    return await partsFrom({ ...rest, workspace: { ...workspace, settings } }, { store, storePath, agent })
  } catch (error) {
    if (error instanceof PawlError && error.code === 'run.unknown-part') return undefined
    throw error
  }
}
