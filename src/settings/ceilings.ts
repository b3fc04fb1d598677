import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Ceiling, FindCeilings } from '../registry/ceilings.ts'
import { stateFolder } from '../process/state-folder.ts'
import { loadConfig } from './load-config.ts'
import { textFile } from './text-file.ts'
import { userFolder } from './user-files.ts'

/*
 * Ceilings over all runs: those of a project are in its pawl.yaml and counted beside its store, those of the user's account are in
 * `ceilings.yaml` among the user's own files and counted in the user's state folder.
 */

/** The ceilings that hold for runs of this store, read again each time they are asked for. */
export function ceilingsOf(storePath: string, env: NodeJS.ProcessEnv = process.env): FindCeilings {
  const ofAccount = accountCeilings(env)
  return async () => [...(await projectCeilings(storePath)), ...(await ofAccount())]
}

async function projectCeilings(storePath: string): Promise<readonly Ceiling[]> {
  const configPath = join(dirname(dirname(storePath)), 'pawl.yaml')
  // Reading YAML takes a while, and most projects have none.
  if (!existsSync(configPath) || !(await textFile(configPath))?.includes('ceilings')) return []
  const limits = (await loadConfig(configPath))?.ceilings
  return limits ? [{ scope: 'project', path: join(dirname(storePath), LEDGER), limits, setIn: 'pawl.yaml' }] : []
}

/** The ceilings of the user's account; empty if there are none. */
export function accountCeilings(env: NodeJS.ProcessEnv = process.env): FindCeilings {
  const setIn = join(userFolder(env), 'ceilings.yaml')
  return async () => {
    // Asked before every piece of work, and most users have none.
    const text = existsSync(setIn) ? await textFile(setIn) : undefined
    if (text === undefined) return []
    const { parseCeilings } = await import('./parse-config.ts')
    return [{ scope: 'account', path: join(stateFolder(env), LEDGER), limits: parseCeilings(text, setIn), setIn }]
  }
}

const LEDGER = 'spending.db'
