import { PawlError } from '../core/pawl-error.ts'
import type { CommandLine } from '../process/command-options.ts'
import {
  byDefault,
  eitherOf,
  LINE,
  needed,
  notBlank,
  numberBetween,
  oneOf,
  optional,
  settingsBy,
  settingsSchema,
  someOf,
  wholeNumberBetween,
  WORDS,
} from '../schema/kinds.ts'
import { type InferOutput, readUnrecorded } from '../schema/read-options.ts'
import type { Check } from './check.ts'
import { CONTENT_PATTERN, contentPattern } from './content-pattern.ts'
import { COVERAGE, coverage, type CoverageOptions } from './coverage.ts'
import { CUSTOM, customCheck, type Validator } from './custom.ts'
import { FILE_EXISTENCE, fileExistence } from './file-existence.ts'

/** A validation rule as data: the kind of check, its name and its settings. */
export interface ValidationRule {
  readonly type: RuleType
  readonly name: string
  readonly config: Readonly<Record<string, unknown>>
}

export type RuleType = keyof typeof CONFIGS

/** The options of a rule of type `command`. */
export type RuleCommand = CommandLine & {
  readonly name: string
  readonly timeoutMs: number
  readonly successExitCodes: readonly number[]
}

export interface RuleParts {
  /** Makes the check of a rule of type `command`. */
  readonly command: (options: RuleCommand) => Check
  /** The program's own validators, by their id. Default none. */
  readonly validators?: Readonly<Record<string, Validator>>
  /** The folder, relative to the workspace, with validators as programs named by their id. Default: none. */
  readonly validatorFolder?: string
}

/** Where the command line and the MCP server look for validators. */
export const VALIDATOR_FOLDER = 'pawl-validators'

const EXIT_CODE = wholeNumberBetween(0, 255)

const COMMAND_WORDS = 'a line for the shell, or a list of a program and its arguments'

const COMMAND = settingsSchema(
  {
    command: needed(eitherOf(COMMAND_WORDS, notBlank(COMMAND_WORDS), someOf(COMMAND_WORDS, WORDS)), 'What to run'),
    expectedExitCode: byDefault(EXIT_CODE, 0, 'The exit code that means that the work is right'),
    successExitCodes: optional(someOf('a list of whole numbers from 0 to 255', EXIT_CODE), 'The same, if there are several'),
    timeout: byDefault(
      numberBetween(1000, 600_000, 'a number of milliseconds from 1000 to 600000'),
      60_000,
      'How long it may take',
    ),
  },
  'a map of settings',
)

const CONFIGS = {
  command: COMMAND,
  content_pattern: CONTENT_PATTERN,
  coverage: COVERAGE,
  file_existence: FILE_EXISTENCE,
  custom: CUSTOM,
}

const RULE_WORDS = 'a rule such as { type: command, name: tests, config: { command: "npm test" } }'

function ruleOf<const Type extends RuleType>(type: Type) {
  const entries = {
    type: needed(oneOf([type]), 'The kind of rule'),
    name: needed(LINE, 'Its name'),
    config: byDefault(CONFIGS[type], {}, 'Its settings, which depend on the type'),
  }
  return settingsSchema(entries, RULE_WORDS)
}

/**
 * A rule in a file or a request.
 *
 * @settings rule
 */
export const RULE = settingsBy('type', 'The kind of rule', [
  ruleOf('command'),
  ruleOf('content_pattern'),
  ruleOf('coverage'),
  ruleOf('file_existence'),
  ruleOf('custom'),
])

/** The types that a rule may have. */
export const RULE_TYPES = Object.keys(CONFIGS) as readonly RuleType[]

/** Builds the check that a rule describes. Throws `config.rule` with the rule, the field and what it must be. */
export function ruleCheck(rule: unknown, parts: RuleParts): Check {
  try {
    return build(readUnrecorded(ownerOf(rule), RULE, rule), parts)
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    throw new PawlError('config.rule', error.message, { value: rule, cause: error })
  }
}

/** `Rule "tests" (command)`, as far as the rule says it. */
function ownerOf(rule: unknown): string {
  const { type, name } = (rule ?? {}) as Readonly<Record<string, unknown>>
  const isKnown = typeof type === 'string' && Object.hasOwn(CONFIGS, type)
  if (typeof name !== 'string' || name === '') return isKnown ? `A rule of type ${type}` : 'A rule'
  return isKnown ? `Rule "${name}" (${type})` : `Rule "${name}"`
}

function build(rule: InferOutput<typeof RULE>, parts: RuleParts): Check {
  const { name } = rule
  switch (rule.type) {
    case 'command':
      return parts.command(commandOf(name, rule.config))
    case 'content_pattern':
      return contentPattern({ ...rule.config, name })
    case 'coverage':
      return coverage({ ...(rule.config as Omit<CoverageOptions, 'name'>), name })
    case 'file_existence':
      return fileExistence({ ...rule.config, name })
    case 'custom':
      return validatorCheck(name, rule.config.validatorId, parts)
  }
}

function validatorCheck(name: string, validatorId: string, { validators = {}, validatorFolder, command }: RuleParts): Check {
  const validate = Object.hasOwn(validators, validatorId) ? validators[validatorId] : undefined
  if (validate) return customCheck({ name, validatorId, validate })
  if (validatorFolder !== undefined)
    return command({ command: [`./${validatorFolder}/${validatorId}`], name, timeoutMs: 60_000, successExitCodes: [0] })
  const known = Object.keys(validators).join(', ') || 'none here'
  throw new PawlError(
    'check.custom.unknown',
    `Rule "${name}" (custom): config.validatorId names no validator: "${validatorId}" is a function of a program, and there is ${known}.`,
  )
}

function commandOf(
  name: string,
  { command, expectedExitCode, successExitCodes, timeout }: InferOutput<typeof COMMAND>,
): RuleCommand {
  const common = { name, timeoutMs: timeout, successExitCodes: successExitCodes ?? [expectedExitCode] }
  return typeof command === 'string' ? { command, shell: true, ...common } : { command, ...common }
}
