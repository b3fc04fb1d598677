import { resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import type { Parts } from '../engine/parts.ts'
import { loadState, openSession, TakenOver } from '../engine/session.ts'
import { untilWork } from '../engine/until-work.ts'
import { builtInFolds } from '../loops/evolve.ts'
import type { Store } from '../stores/store.ts'
import { outsideAgent, partsFrom, type PartsOptions } from './parts-from.ts'

/** The project that a run belongs to. */
export interface SettlingProject {
  readonly root: string
  readonly storePath: string
  readonly ceilings: PartsOptions['ceilings']
}

/**
 * Draws what follows from an answer that ends a run of another program, so that nobody has to wait for an agent that may be gone. No
 * agent is started. `undefined` if it is left to that program: the answer continues, another process has the run, or the run has parts
 * that only the program can build.
 */
export async function settleAnswer(project: SettlingProject, store: Store, run: string): Promise<State | undefined> {
  const state = await loadState(store, run, builtInFolds)
  if (state?.answer?.kind !== 'accept' && state?.answer?.kind !== 'abort') return undefined
  const parts = await buildable(project, store, state)
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

async function buildable(
  { root, storePath, ceilings }: SettlingProject,
  store: Store,
  { config }: State,
): Promise<Parts | undefined> {
  const { roles: _played, questioner: _asked, workspace, ...rest } = config
  const { path } = workspace.settings
  // A relative path counts from the project's folder, wherever the command was typed.
  const settings = typeof path === 'string' ? { ...workspace.settings, path: resolve(root, path) } : workspace.settings
  try {
    const agent = outsideAgent(config.agent)
    return await partsFrom(
      { ...rest, workspace: { ...workspace, settings } },
      {
        store,
        storePath,
        agent,
        ceilings,
      },
    )
  } catch (error) {
    if (error instanceof PawlError && error.code === 'run.unknown-part') return undefined
    throw error
  }
}
