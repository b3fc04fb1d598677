import { commandCheck } from '../checks/command-check.ts'
import { ruleCheck, VALIDATOR_FOLDER } from '../checks/rule.ts'
import type { PartSpec } from '../core/run-config.ts'

export { RULE_TYPES } from '../checks/rule.ts'

/** The check that a validation rule describes, as data. Throws `config.rule` with the field that is wrong. */
export function ruleSpec(rule: unknown): PartSpec {
  return ruleCheck(rule, { validatorFolder: VALIDATOR_FOLDER, command: commandCheck }).spec
}
