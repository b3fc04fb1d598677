import type { Command } from 'commander'
import type { CliContext } from './cli-context.ts'

/** One command of the command line: what people read about it, and how it is called. */
export interface CommandEntry {
  /** As commander reads it: `answer <run> [choice]`. */
  readonly usage: string
  readonly description: string
  /** Without the leading `pawl`. */
  readonly examples: readonly string[]
  readonly options?: (command: Command) => Command
  /** `words` are the arguments that were given, in order. Loads what it needs itself, so that no command waits for another's parts. */
  readonly run: (context: CliContext, flags: Flags, words: readonly string[]) => Promise<number>
}

// oxlint-disable-next-line typescript/no-explicit-any -- commander's flags are what the options above declare, so each command names their shape itself.
export type Flags = any
