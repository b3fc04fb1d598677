import { PawlError } from '../core/pawl-error.ts'
import type { CommandLine } from '../process/command-options.ts'
import type { Check } from './check.ts'
import { contentPattern, type ContentPatternOptions } from './content-pattern.ts'
import { coverage, type CoverageOptions } from './coverage.ts'
import { customCheck, requireValidatorId, type Validator } from './custom.ts'
import { fileExistence, type FileExistenceOptions } from './file-existence.ts'
import { refuseField, requireName } from './refuse-field.ts'

/** A validation rule as data: the kind of check, its name and its settings. */
export interface ValidationRule {
  readonly type: RuleType
  readonly name: string
  readonly config: Readonly<Record<string, unknown>>
}

export type RuleType = keyof typeof KEYS

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

/** The keys that may stand in the config of each type. */
const KEYS = {
  command: ['command', 'expectedExitCode', 'successExitCodes', 'timeout'],
  content_pattern: ['pattern', 'flags', 'mustMatch', 'target'],
  coverage: ['minCoverage', 'format', 'scope', 'path'],
  file_existence: ['paths', 'allMustExist'],
  custom: ['validatorId'],
} as const

/** Builds the check that a rule describes. Throws `config.rule` with the rule, the field and what it must be. */
export function ruleCheck(rule: unknown, parts: RuleParts): Check {
  const { type, name, config } = shapeOf(rule)
  try {
    const known: readonly string[] = KEYS[type]
    const unknown = Object.keys(config).find((key) => !known.includes(key))
    if (unknown !== undefined) throw new PawlError('check.key', `${unknown} is no setting of it; there are ${known.join(', ')}.`)
    return BUILDERS[type](name, config, parts)
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    const field = /^\w+ (?:must|is no setting|names no)/.test(error.message) ? 'config.' : ''
    throw new PawlError('config.rule', `Rule "${name}" (${type}): ${field}${error.message}`, { value: rule, cause: error })
  }
}

function shapeOf(rule: unknown): ValidationRule {
  const refuse = (sentence: string): never => {
    throw new PawlError('config.rule', sentence, { value: rule })
  }
  if (!isMap(rule)) return refuse('A rule must be a map such as { type: command, name: tests, config: { command: "npm test" } }.')
  const { type, name, config = {} } = rule
  const which = typeof name === 'string' && name !== '' ? `Rule "${name}"` : 'A rule'
  if (typeof type !== 'string' || !Object.hasOwn(KEYS, type))
    return refuse(`${which}: type must be one of ${Object.keys(KEYS).join(', ')}, not ${JSON.stringify(type) ?? 'missing'}.`)
  if (typeof name !== 'string' || name.trim() === '' || name.includes('\n'))
    return refuse(`A rule of type ${type}: name must be one line of text, not ${JSON.stringify(name) ?? 'missing'}.`)
  if (!isMap(config)) return refuse(`${which}: config must be a map of settings.`)
  const other = Object.keys(rule).find((key) => !['type', 'name', 'config'].includes(key))
  if (other !== undefined) return refuse(`${which}: "${other}" is unknown; a rule has type, name and config.`)
  return { type: type as RuleType, name, config }
}

type Config = ValidationRule['config']

const BUILDERS: Readonly<Record<RuleType, (name: string, config: Config, parts: RuleParts) => Check>> = {
  command: (name, config, { command }) => command(commandOf(name, config)),
  content_pattern: (name, config) => contentPattern({ ...(config as unknown as ContentPatternOptions), name }),
  coverage: (name, config) => coverage({ ...(config as unknown as CoverageOptions), name }),
  file_existence: (name, config) => fileExistence({ ...(config as unknown as FileExistenceOptions), name }),
  custom: (name, config, { validators = {}, validatorFolder, command }) => {
    const { validatorId } = config
    requireValidatorId(validatorId)
    const id = String(validatorId)
    const validate = Object.hasOwn(validators, id) ? validators[id] : undefined
    if (validate) return customCheck({ name, validatorId: id, validate })
    if (validatorFolder !== undefined) return command(commandOf(name, { command: [`./${validatorFolder}/${id}`] }))
    const known = Object.keys(validators).join(', ') || 'none here'
    throw new PawlError(
      'check.custom.unknown',
      `validatorId names no validator: "${id}" is a function of a program, and there is ${known}.`,
    )
  },
}

const EXIT_CODE_MAX = 255

function commandOf(name: string, config: Config): RuleCommand {
  const { command, expectedExitCode = 0, successExitCodes, timeout = 60_000 } = config
  requireName('command', name)
  const isText = typeof command === 'string' && command.trim() !== ''
  const isWords = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')
  if (!isText && !isWords)
    refuseField('command', 'command', 'a line for the shell, or a list of a program and its arguments', command)
  if (!isExitCode(expectedExitCode))
    refuseField('command', 'expectedExitCode', `a whole number from 0 to ${EXIT_CODE_MAX}`, expectedExitCode)
  const codes = successExitCodes ?? [expectedExitCode]
  if (!Array.isArray(codes) || codes.length === 0 || !codes.every(isExitCode))
    refuseField('command', 'successExitCodes', `a list of whole numbers from 0 to ${EXIT_CODE_MAX}`, codes)
  if (typeof timeout !== 'number' || !(timeout >= 1000 && timeout <= 600_000))
    refuseField('command', 'timeout', 'a number of milliseconds from 1000 to 600000', timeout)
  const common = { name, timeoutMs: timeout as number, successExitCodes: codes as readonly number[] }
  return isText ? { command: command as string, shell: true, ...common } : { command: command as readonly string[], ...common }
}

function isExitCode(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= EXIT_CODE_MAX
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
