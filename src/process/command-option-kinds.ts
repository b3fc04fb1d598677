import type { CommandOptions } from './command-options.ts'
import { ANYTHING, type EntriesOf, FLAG, having, optional, TEXTS } from '../schema/kinds.ts'

/** What may stand for the options of every driver that runs a command; `checkCommandOptions` looks at the rest. */
export const COMMAND_OPTIONS = {
  command: ANYTHING,
  shell: optional(FLAG),
  timeoutMs: ANYTHING,
  environment: optional(TEXTS),
  variables: optional(having('texts by the names of variables')),
} satisfies EntriesOf<CommandOptions>
