import { posix } from 'node:path'
import { isRecorded } from '../core/run-config.ts'
import { durationText, inFiles, inPrograms } from '../schema/file-kinds.ts'
import {
  eitherOf,
  type EntriesOf,
  FLAG,
  listOf,
  mapOfNamed,
  MILLISECONDS,
  needed,
  optional,
  someOf,
  textThat,
  WORDS,
} from '../schema/kinds.ts'
import { readOptions, type SettingsSchema } from '../schema/read-options.ts'
import { checkCommandLine, type CommandLine, type CommandOptions, isVariableName } from './command-options.ts'

const COMMAND_WORDS = 'one text such as "npm test", or a list of texts (numbers in quotes)'

/** A command in a file. A text is split into words, or run by a shell. */
export const COMMAND_TEXT = eitherOf(COMMAND_WORDS, WORDS, someOf(COMMAND_WORDS, WORDS))

/** A program with its arguments, or with `shell: true` one line; `checkCommandLine` sees to the two together. */
export const COMMAND = eitherOf(
  'a list of the program and its arguments, or with shell: true one line for /bin/sh',
  WORDS,
  listOf(COMMAND_WORDS, WORDS),
)

/** A path below the project. */
export const FOLDER = textThat('a folder below the project, such as packages/api', isBelow)

function isBelow(path: string): boolean {
  const steps = posix.normalize(path).split('/')
  return path.trim() !== '' && !path.includes('\0') && !posix.isAbsolute(path) && steps[0] !== '..'
}

/** The name of a variable. */
export const VARIABLE = textThat(
  'the name of a variable, such as MY_KEY',
  (name) => isVariableName(name.replace(/\*$/, '')),
  'Only names of variables can stand here, such as MY_KEY or MY_*; never values.',
)

/** Names of variables that are passed on. */
export const VARIABLES_PASSED_ON = listOf('a list of names of variables, such as [MY_KEY]', VARIABLE)

/** Variables that are set. Only programs can: in a file they would look like a place for secrets. */
export const VARIABLES_SET = inPrograms(
  mapOfNamed(
    'texts by the names of variables',
    textThat('named with letters, digits and _, not beginning with a digit', isVariableName),
    textThat('a text without NUL characters', (text) => !text.includes('\0')),
  ),
)

/** How long a command may take. */
export function timeoutKind(byDefault: string) {
  return inFiles(MILLISECONDS, { name: 'timeout', kind: durationText(1), byDefault })
}

/** The options of a check that runs a command. */
export const COMMAND_OPTIONS = {
  command: needed(COMMAND),
  shell: optional(FLAG),
  timeoutMs: optional(timeoutKind('10m')),
  environment: optional(VARIABLES_PASSED_ON),
  variables: optional(VARIABLES_SET),
} satisfies EntriesOf<CommandOptions>

/** The options of a part that runs a command. `place`, such as `agent.command`, begins the codes of its errors. */
export function readCommandOptions<Schema extends SettingsSchema>(
  owner: string,
  place: string,
  schema: Schema,
  options: CommandLine,
) {
  if (typeof options === 'object' && options !== null && !isRecorded(options)) checkCommandLine(place, options)
  return readOptions(owner, schema, options, place)
}
