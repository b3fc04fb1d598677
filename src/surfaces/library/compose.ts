import { commandCheck as bareCommandCheck, type CommandCheckOptions } from '../../drivers/checks/command-check.ts'
import { reportParsers } from '../../drivers/reports/index.ts'
import type { Check } from '../../ports/check.ts'

export type { CommandCheckOptions }

/** A command whose exit code 0 means that the work is right. Reads every report format that Pawl knows, unless told which. */
export function commandCheck(options: CommandCheckOptions): Check {
  return bareCommandCheck({ parsers: reportParsers, ...options })
}
