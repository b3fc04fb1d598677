import { commandCheck, type CommandCheckOptions } from '../checks/command-check.ts'
import type { Check } from '../checks/check.ts'
import { ruleCheck as ruleCheckWith, type RuleParts, type ValidationRule } from '../checks/rule.ts'
import { FUNCTION, mapOf, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export { contentPattern } from '../checks/content-pattern.ts'
export { coverage } from '../checks/coverage.ts'
export { customCheck } from '../checks/custom.ts'
export { fileExistence } from '../checks/file-existence.ts'
export { readTestOutput } from './test-output.ts'
export { commandCheck, type CommandCheckOptions }

/** The check that a validation rule describes; `validators` are your own functions for rules of type `custom`. */
export function ruleCheck(rule: ValidationRule, parts: Pick<RuleParts, 'validators'> = {}): Check {
  readOptions('ruleCheck', OPTIONS, parts)
  const { validators = {} } = parts
  return ruleCheckWith(rule, { command: commandCheck, validators })
}

const OPTIONS = settingsSchema({ validators: optional(mapOf('functions by the ids of validators', FUNCTION)) })
