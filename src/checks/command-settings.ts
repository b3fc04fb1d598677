import { COMMAND_TEXT, COMMAND_OPTIONS, COMMAND, FOLDER, VARIABLES_PASSED_ON } from '../process/command-option-kinds.ts'
import type { CommandOptions } from '../process/command-options.ts'
import { durationText, inFiles, inPrograms } from '../schema/file-kinds.ts'
import {
  byDefault,
  eitherOf,
  type EntriesOf,
  fitting,
  FLAG,
  FUNCTION,
  LINE,
  LIST,
  MILLISECONDS,
  needed,
  oneOf,
  optional,
  readAs,
  settingsSchema,
  textCalled,
  TEXTS,
} from '../schema/kinds.ts'
import type { ReportOptions, ReportParsers } from './check-report.ts'

export type CommandCheckOptions = CommandOptions &
  ReportParsers & {
    /** The check's name for people, and the id of its failure if no test is known. */
    readonly name: string
    /** Default 10 minutes. A check that takes longer has failed: the work must not make tests hang. */
    readonly timeoutMs?: number
    /** Where its report is, and its format. Default: whatever `parsers` find in the output. */
    readonly report?: ReportOptions
    /** Exit codes that mean that the work is right. Default only 0. With any other of them the report isn't consulted. */
    readonly successExitCodes?: readonly number[]
    /** The folder to run it in, relative to the workspace. Default: the workspace. */
    readonly cwd?: string
    /** Whether a proof may run it in a fresh copy of the workspace. Default true; false for one that needs services, ports or devices. */
    readonly room?: boolean
    /** `before-success`: it runs only once all other checks passed. Default `always`. */
    readonly when?: 'always' | 'before-success'
  }

const REPORT_WORDS = 'a format such as junit, a file such as report.xml, or { format: junit, file: report.xml }'

const REPORT = settingsSchema(
  {
    format: optional(textCalled('the name of a format, such as junit'), 'The format; nothing else is taken for a report'),
    file: optional(textCalled('the path of one file'), 'The file that the command writes its report to'),
  } satisfies EntriesOf<ReportOptions>,
  REPORT_WORDS,
)

/** One word for a report: a file has a dot or a slash in its path, no format has. */
export function reportFrom(word: string): ReportOptions {
  return /[./\\]/.test(word) ? { file: word } : { format: word }
}

/** In files one word is enough. */
const REPORT_TEXT = readAs(eitherOf(REPORT_WORDS, textCalled('a text'), REPORT), (value) =>
  typeof value === 'string' ? reportFrom(value) : value,
)

const NAME = fitting<string>(
  'a name of one line, such as "tests"',
  (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\n'),
)

const EXIT_CODES = fitting<readonly number[]>(
  'a list of whole numbers from 0 to 255',
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((code) => Number.isInteger(code) && code >= 0 && code <= 255),
)

/**
 * A command: `commandCheck`.
 *
 * @settings command-check
 */
export const COMMAND_CHECK = settingsSchema(
  {
    name: needed(inFiles(NAME, { kind: LINE }), 'Its name, different for each check'),
    ...COMMAND_OPTIONS,
    command: needed(
      inFiles(COMMAND, { kind: COMMAND_TEXT }),
      'The command. A text with `|`, `&&`, `$` and the like is run by `/bin/sh`',
    ),
    shell: optional(inPrograms(FLAG)),
    timeoutMs: byDefault(
      inFiles(MILLISECONDS, { name: 'timeout', kind: durationText(1), byDefault: '10m', flag: '--check-timeout <duration>' }),
      10 * 60_000,
      'How long a check may take; one that takes longer fails',
    ),
    environment: optional(
      inFiles(VARIABLES_PASSED_ON, { byDefault: 'none' }),
      'Environment variables that it gets, by name; `MY_*` means all with that prefix',
    ),
    report: optional(
      inFiles(REPORT, {
        kind: REPORT_TEXT,
        byDefault: 'found in the output',
        flag: '--report <format|file>',
        flagAbout: "format of the check's report, or the file it is written to (default: found in the output)",
      }),
      'Where its report is, or in which format',
    ),
    cwd: optional(
      inFiles(FOLDER, { byDefault: 'the project' }),
      'The folder it runs in, below the project; the path of `report` begins there too',
    ),
    room: byDefault(
      FLAG,
      true,
      'Whether a proof may run it in a fresh copy of the project; `false` if it needs services, ports or devices',
    ),
    when: byDefault(
      oneOf(['always', 'before-success']),
      'always',
      '`before-success` runs it only once all other checks pass; there is no success without it',
    ),
    successExitCodes: optional(inFiles(EXIT_CODES, { name: 'exit-codes', isAbsent: true })),
    parsers: optional(inPrograms(LIST)),
    parserNamed: optional(inPrograms(FUNCTION)),
    parserNames: optional(inPrograms(TEXTS)),
  } satisfies EntriesOf<CommandCheckOptions>,
  'a check such as { name: tests, command: "npm test" }',
)
