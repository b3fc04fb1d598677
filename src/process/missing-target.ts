import { existsSync, realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { CommandLine } from './command-options.ts'
import { absentFile, absentScript, absentTarget, type AbsentTarget, isElsewhere } from './command-target.ts'
import type { CommandTrouble } from './command-trouble.ts'

export interface UnexplainedCommand {
  readonly line: CommandLine
  readonly exitCode: number
  readonly text: string
  readonly cwd: string
  /** The PATH it had. */
  readonly path: string | undefined
}

/** A command whose program exists and reports that its target doesn't. */
export interface MissingTarget extends CommandTrouble {
  readonly fault: 'config'
  /** Whether it is a script and a similar name exists. */
  readonly isSlip: boolean
  /** Set if there is no project yet. */
  readonly isNew?: true
}

/**
 * Whether a command failed because its target is missing: `npm run tset`, `node tests/run.js`. Scripts and files are looked up. Otherwise
 * one of the last lines must be the exact error message of a program that the command names, with its exit code, about something that
 * the command names: a test that prints such words, or a script that calls a missing one, doesn't count. Don't call it for a command
 * whose report lists tests.
 */
export async function missingTarget(command: UnexplainedCommand): Promise<MissingTarget | undefined> {
  const { line, cwd, path } = command
  const absent = line.shell === true ? undefined : await absentTarget(line.command, cwd, path)
  const found = absent ?? (await complaintOf(command))
  return found && { fault: 'config', ...found, fix: 'Correct the command of the check, or make what it runs.' }
}

/** A program's error message is at the very end, with little around it. */
const LINES_MAX = 20
const CHARACTERS_MAX = 16 * 1024

async function complaintOf({ line, exitCode, text, cwd }: UnexplainedCommand): Promise<AbsentTarget | undefined> {
  const words = wordsOf(line)
  const rules = PROGRAMS.flatMap(([program, exitCodes, its]) =>
    exitCodes.includes(exitCode) && words.some((word) => program.test(basename(word))) ? its : [],
  )
  const lines = text.slice(-CHARACTERS_MAX).split('\n')
  const said = lines.map((each) => each.trimEnd()).filter((each) => each !== '')
  for (const each of said.slice(-LINES_MAX)) {
    for (const [pattern, missing] of rules) {
      const match = pattern.exec(each)
      const found =
        match && isAbout(match.groups ?? {}, words, cwd) && (await confirmed(missing, match.groups?.['name'] ?? '', words, cwd))
      if (found) return found
    }
  }
  return undefined
}

/** The words of a command; for a shell line, everything that may be one. */
function wordsOf(line: CommandLine): readonly string[] {
  if (line.shell !== true) return line.command
  return ['/bin/sh', ...line.command.split(/[\s;&|()<>'"`]+/).filter((word) => word !== '')]
}

/** A message counts only if it is about something that the command names, or about the folder it works in. */
function isAbout({ name, folder }: Readonly<Record<string, string>>, words: readonly string[], cwd: string): boolean {
  if (folder !== undefined) return [cwd, ...words.map((word) => resolve(cwd, word))].map(realPath).includes(realPath(folder))
  return name === undefined || wordFor(name, words, cwd) !== undefined
}

/** Programs report folders with links resolved. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Most words aren't files; then compare the path itself.
    return path
  }
}

/** The word that names it: literally, as a path, or as a package with its version. */
function wordFor(name: string, words: readonly string[], cwd: string): string | undefined {
  const isName = (word: string) => word === name || word.replace(/(?<=.)@[^/]*$/, '') === name
  return words.slice(1).find((word) => isName(word) || (name.startsWith('/') && isPath(word, name, cwd)))
}

/** After a `cd`, only the end of a path is known. */
function isPath(word: string, path: string, cwd: string): boolean {
  return resolve(cwd, word) === path || path.endsWith(`/${word.replace(/^\.\//, '')}`)
}

/** Confirms that a script or file is missing; in another folder it isn't looked up. */
async function confirmed(
  missing: Missing,
  name: string,
  words: readonly string[],
  cwd: string,
): Promise<AbsentTarget | undefined> {
  const unseen = {
    message: missing.replace('NAME', name),
    isSlip: false,
    ...(missing === MANIFEST || missing === CARGO ? { isNew: true as const } : {}),
  }
  const isAbroad = words.some((word) => word === 'cd' || isElsewhere(word))
  if (missing === SCRIPT) return isAbroad ? unseen : absentScript(name, cwd)
  if (missing !== FILE) return unseen
  if (existsSync(isAbroad ? name : resolve(cwd, name))) return undefined
  return isAbroad ? unseen : absentFile(wordFor(name, words, cwd) ?? name, cwd)
}

/** The sentence about what is missing. Scripts and files are looked up. */
type Missing = string

const SCRIPT = 'package.json has no script "NAME".'
const FILE = 'There is no file NAME.'
const FOLDER = 'There is no folder NAME.'
const MANIFEST = 'There is no package.json.'
const CARGO = 'There is no Cargo.toml.'
const PYTHON_MODULE = 'Python has no module NAME.'
const NO_PACKAGE = 'There is no package NAME.'

/**
 * The program's name, its exit codes, and the messages in which it says that its target is missing, as whole lines. The command must
 * name what the group `name` matches, and work in the folder that the group `folder` matches.
 */
type ProgramRules = readonly [RegExp, exitCodes: readonly number[], readonly (readonly [RegExp, Missing])[]]

/** Recorded by asking each program for a missing target. */
const PROGRAMS: readonly ProgramRules[] = [
  [
    /^(?:npm|npx)$/,
    [1, 254],
    [
      [/^npm (?:error|ERR!) Missing script: "(?<name>[^"]+)"$/, SCRIPT],
      [/^Unknown command: "(?<name>[^"]+)"$/, 'npm has no command "NAME".'],
      [/^npm (?:error|ERR!) enoent .*ENOENT: no such file or directory, open '(?<folder>.+)\/package\.json'$/, MANIFEST],
      [
        /^npm (?:error|ERR!) npx canceled due to missing packages and no YES option: \["(?<name>@?[^"@]+)(?:@[^"]*)?"\]$/,
        'The package NAME is not installed.',
      ],
      [
        /^npm (?:error|ERR!) 404 +(?:The requested resource )?'(?<name>@?[^'@]+)@[^']*' (?:could not be found|is not in )/,
        NO_PACKAGE,
      ],
    ],
  ],
  [
    /^yarn$/,
    [1],
    [
      [/^error Command "(?<name>[^"]+)" not found\.$/, SCRIPT],
      [/^Usage Error: Couldn't find a script named "(?<name>[^"]+)"\.$/, SCRIPT],
      [/^error Couldn't find a package\.json file in "(?<folder>[^"]+)"$/, MANIFEST],
      [/^Usage Error: No project found in (?<folder>.+)$/, MANIFEST],
    ],
  ],
  [
    /^pnpm$/,
    [1, 254],
    [
      [/^\s*ERR_PNPM_NO_SCRIPT\s+Missing script: (?<name>\S+)$/, SCRIPT],
      [/^\s*ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\s+Command "(?<name>[^"]+)" not found$/, SCRIPT],
      [/^\s*ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND\s+No package\.json .* was found in "(?<folder>[^"]+)"\.$/, MANIFEST],
    ],
  ],
  [
    /^bun$/,
    [1],
    [
      [/^error: Script not found "(?<name>[^"]+)"$/, SCRIPT],
      [/^error: Module not found "(?<name>[^"]+)"$/, FILE],
    ],
  ],
  [
    /^deno$/,
    [1],
    [
      [/^Task not found: (?<name>\S+)$/, 'deno has no task "NAME".'],
      [/^error: Module not found "file:\/\/(?<name>[^"]+)"\.$/, FILE],
      [/^error: Import 'file:\/\/(?<name>[^']+)' failed, not found\.$/, FILE],
      [/^error: unrecognized subcommand '(?<name>[^']+)'$/, 'deno has no command "NAME".'],
      [/^error: deno task couldn't find deno\.json\(c\) or package\.json\./, 'There is no deno.json and no package.json.'],
    ],
  ],
  [
    /^node$/,
    [1],
    [
      [/^Error: Cannot find module '(?<name>\/.+)'$/, FILE],
      [/^Could not find '(?<name>.+)'$/, FILE],
    ],
  ],
  [
    /^python[\d.]*$/,
    [1, 2],
    [
      [/^\S*python[\d.]*: can't open file '(?<name>.+)': \[Errno 2\] No such file or directory$/, FILE],
      [/^\S*python[\d.]*: No module named (?<name>[\w.]+)$/, PYTHON_MODULE],
      [
        /^\S*python[\d.]*: Error while finding module specification for '(?<name>[\w.]+)' \(ModuleNotFoundError: .*\)$/,
        PYTHON_MODULE,
      ],
    ],
  ],
  [/^py\.?test$/, [4], [[/^ERROR: file or directory not found: (?<name>.+)$/, FILE]]],
  [
    /^g?make$/,
    [2],
    [
      [/^g?make: \*\*\* No rule to make target [`'](?<name>.+)'\.\s+Stop\.$/, 'The makefile has no target NAME.'],
      [/^g?make: \*\*\* (?<name>\S+): No such file or directory\.\s+Stop\.$/, FOLDER],
      [/^g?make: \*\*\* No targets specified and no makefile found\.\s+Stop\.$/, 'There is no makefile.'],
    ],
  ],
  [
    /^(?:sh|dash|bash|ksh|zsh)$/,
    [1, 2, 127],
    [
      [/^\S+: \d+: (?:\.: )?cannot open (?<name>.+): No such file$/, FILE],
      [/^\S*sh: (?:line \d+: )?(?<name>[^:]+): No such file or directory$/, FILE],
      [/^\S*sh: \d+: (?<name>[^\s:]*\/[^\s:]+): not found$/, FILE],
      [/^\S+: \d+: cd: can't cd to (?<name>.+)$/, FOLDER],
      [/^\S+: line \d+: cd: (?<name>.+): No such file or directory$/, FOLDER],
    ],
  ],
  [
    /^cargo$/,
    [101],
    [
      [/^error: could not find `Cargo\.toml` in `(?<folder>[^`]+)` or any parent directory$/, CARGO],
      [/^error: no such (?:sub)?command: `(?<name>[^`]+)`$/, 'cargo has no command NAME.'],
      [/^error: no (?:test|bin|example|bench) target named `(?<name>[^`]+)`(?: in .*)?\.?$/, 'Cargo.toml has no target NAME.'],
      [/^error: package ID specification `(?<name>[^`]+)` did not match any packages$/, NO_PACKAGE],
    ],
  ],
]
