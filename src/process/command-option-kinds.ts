import { FLAG, having, type OptionKinds, TEXTS } from '../core/option-kinds.ts'
import type { CommandOptions } from './command-options.ts'

/** What may stand for the options of every driver that runs a command; `checkCommandOptions` looks at the rest. */
export const COMMAND_OPTIONS: OptionKinds<CommandOptions> = {
  command: true,
  shell: FLAG,
  timeoutMs: true,
  environment: TEXTS,
  variables: having('texts by the names of variables'),
}
