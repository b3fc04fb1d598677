import { commandCheck as bareCommandCheck, type CommandCheckOptions } from '../../drivers/checks/command-check.ts'
import { reportFormats, reportParserNamed, reportParsers } from '../../drivers/reports/index.ts'
import { testOutput } from '../../loops/task/iteration-check/test-output.ts'
import type { Check } from '../../ports/check.ts'

export type { CommandCheckOptions }

/** A command whose exit code 0 means that the work is right. Reads every report format that Pawl knows, unless told which. */
export function commandCheck(options: CommandCheckOptions): Check {
  return bareCommandCheck({ parsers: reportParsers, parserNamed: reportParserNamed, parserNames: reportFormats, ...options })
}

/** Reads what tests printed, in every format that Pawl knows. */
export const readTestOutput = testOutput(reportParsers)
