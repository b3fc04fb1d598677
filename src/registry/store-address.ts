import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The address of the database that has a project's runs: `PAWL_STORE`, or `store:` in its pawl.yaml. `undefined` if they are in the file
 * `storePath`. Hooks ask at every step of an agent, so this reads one line and loads no parser.
 */
export function storeAddress(storePath: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env['PAWL_STORE']?.trim()
  return given === undefined || given === '' ? addressIn(join(dirname(dirname(storePath)), 'pawl.yaml')) : given
}

/** Whether a project has a store already. A database counts: whether it can be reached shows when it is asked. */
export function hasStore(storePath: string): boolean {
  return storeAddress(storePath) !== undefined || existsSync(storePath)
}

function addressIn(configPath: string): string | undefined {
  try {
    return /^store:[ \t]+(["']?)([^\s"'#]\S*?)\1[ \t]*(?:#.*)?$/m.exec(readFileSync(configPath, 'utf8'))?.[2]
  } catch {
    // No readable pawl.yaml: whoever needs it reports it.
    return undefined
  }
}
