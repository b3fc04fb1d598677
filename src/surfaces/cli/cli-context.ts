import { existsSync } from 'node:fs'
import { PawlError } from '../../core/pawl-error.ts'
import type { Store } from '../../stores/store.ts'
import { findProject, type Project } from '../../settings/find-project.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** What every command is given. */
export interface CliContext {
  readonly terminal: Terminal
  readonly project: Project
  readonly isJson: boolean
}

/** The context of a command line. */
export function cliContext(options: { readonly json?: boolean }): CliContext {
  const isJson = options.json === true
  return { terminal: processTerminal(isJson), project: findProject(presentFolder()), isJson }
}

/** A folder that is gone, or whose name is not UTF-8, cannot be worked in: another would be made in its place. */
function presentFolder(): string {
  const named = nameOfFolder()
  if (named !== undefined && existsSync(named)) return named
  const where = named === undefined ? '' : ` ${named}`
  throw new PawlError('usage.folder', `The folder${where} is not there, or its name is not UTF-8: go to another one.`)
}

function nameOfFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Opens the project's store for as long as `use` takes. */
export async function withStore<Result>(context: CliContext, use: (store: Store) => Promise<Result>): Promise<Result> {
  // Only here: the drivers behind it take longer to load than help does.
  const { openStore } = await import('../../registry/open-store.ts')
  const store = openStore(context.project.storePath)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
