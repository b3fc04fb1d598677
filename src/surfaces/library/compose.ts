import { FUNCTION, mapOf } from '../../core/option-kinds.ts'
import { requireOptions } from '../../core/require-options.ts'
import { commandCheck as bareCommandCheck, type CommandCheckOptions } from '../../checks/command-check.ts'
import { ruleCheck as bareRuleCheck, type RuleParts, type ValidationRule } from '../../checks/rule.ts'
import { reportFormats, reportParserNamed, reportParsers } from '../../checks/reports/index.ts'
import { testOutput } from '../../loops/task/iteration-check/test-output.ts'
import type { Check } from '../../checks/check.ts'

export { contentPattern } from '../../checks/content-pattern.ts'
export { coverage } from '../../checks/coverage.ts'
export { customCheck } from '../../checks/custom.ts'
export { fileExistence } from '../../checks/file-existence.ts'
export type { CommandCheckOptions }

/** A command whose exit code 0 means that the work is right. Reads every report format that Pawl knows, unless told which. */
export function commandCheck(options: CommandCheckOptions): Check {
  return bareCommandCheck({ parsers: reportParsers, parserNamed: reportParserNamed, parserNames: reportFormats, ...options })
}

/** The check that a validation rule describes; `validators` are your own functions for rules of type `custom`. */
export function ruleCheck(rule: ValidationRule, parts: Pick<RuleParts, 'validators'> = {}): Check {
  requireOptions('ruleCheck', parts, { validators: mapOf('functions by the ids of validators', FUNCTION) })
  const { validators = {} } = parts
  return bareRuleCheck(rule, { command: commandCheck, validators })
}

/** Reads what tests printed, in every format that Pawl knows. */
export const readTestOutput = testOutput(reportParsers)
