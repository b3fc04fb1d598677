import { existsSync } from 'node:fs'
import { PawlError } from '../../core/pawl-error.ts'
import type { Store } from '../../stores/store.ts'
import { findProject, type Project } from '../../settings/find-project.ts'
import { processTerminal, type Terminal } from './terminal.ts'
import type { Command } from 'commander'

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

/** One command of the command line: what people read about it, and how it is called. */
export interface CommandEntry {
  /** As commander reads it: `answer <run> [choice]`. */
  readonly usage: string
  /** Where `pawl --help` lists it. */
  readonly group: 'Run' | 'Continue' | 'Inspect' | 'Set up' | 'Advanced'
  /** What it does, as a command, in at most 60 characters. */
  readonly description: string
  /** Without the leading `pawl`. */
  readonly examples: readonly string[]
  readonly options?: (command: Command) => Command | Promise<Command>
  /** `words` are the arguments that were given, in order. Loads what it needs itself, so that no command waits for another's parts. */
  readonly run: (context: CliContext, flags: Flags, words: readonly string[]) => Promise<number>
}

// oxlint-disable-next-line typescript/no-explicit-any -- commander's flags are what the options above declare, so each command names their shape itself.
export type Flags = any
