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
  const rules = MISSING_TARGET_RULES.filter(
    ({ program, exitCodes }) => exitCodes.includes(exitCode) && words.some((word) => program.test(basename(word))),
  )
  if (rules.length === 0) return undefined
  const lines = text.slice(-CHARACTERS_MAX).split('\n')
  const said = lines.map((each) => each.trimEnd()).filter((each) => each !== '')
  for (const each of said.slice(-LINES_MAX)) {
    for (const rule of rules) {
      const match = rule.pattern.exec(each)
      const found =
        match && isAbout(match.groups ?? {}, words, cwd) && (await confirmed(rule, match.groups?.['name'] ?? '', words, cwd))
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
  { what, says, isNew }: MissingTargetRule,
  name: string,
  words: readonly string[],
  cwd: string,
): Promise<AbsentTarget | undefined> {
  const unseen = { message: says(name), isSlip: false, ...(isNew ? { isNew } : {}) }
  const isAbroad = words.some((word) => word === 'cd' || isElsewhere(word))
  if (what === 'script') return isAbroad ? unseen : absentScript(name, cwd)
  if (what !== 'file') return unseen
  if (existsSync(isAbroad ? name : resolve(cwd, name))) return undefined
  return isAbroad ? unseen : absentFile(wordFor(name, words, cwd) ?? name, cwd)
}

/** One message in which a program says that its target is missing. Patterns match whole lines. */
export interface MissingTargetRule {
  /** The names of the programs that print it; the command must name one of them. */
  readonly program: RegExp
  readonly exitCodes: readonly number[]
  /** The command must name what its group `name` matches, and work in the folder that its group `folder` matches. */
  readonly pattern: RegExp
  /** What is missing. Scripts and files are looked up. */
  readonly what: 'script' | 'file' | 'other'
  /** Set if there is no project yet. */
  readonly isNew?: true
  /** The sentence about it, if it isn't looked up. */
  readonly says: (name: string) => string
}

const SCRIPT = { what: 'script', says: (name: string) => `package.json has no script "${name}".` } as const
const FILE = { what: 'file', says: (name: string) => `There is no file ${name}.` } as const
const PACKAGE = { what: 'other', says: (name: string) => `The package ${name} is not installed.` } as const
const MANIFEST = { what: 'other', isNew: true, says: () => 'There is no package.json.' } as const
const FOLDER = { what: 'other', says: (name: string) => `There is no folder ${name}.` } as const
const PYTHON_MODULE = { what: 'other', says: (name: string) => `Python has no module ${name}.` } as const

function other(says: (name: string) => string) {
  return { what: 'other', says } as const
}

const NPM = /^(?:npm|npx)$/
const PYTHON = /^python[\d.]*$/
const SHELL = /^(?:sh|dash|bash|ksh|zsh)$/

/** The messages of these programs, recorded by asking each for a missing target. */
const MISSING_TARGET_RULES: readonly MissingTargetRule[] = [
  { program: NPM, exitCodes: [1], pattern: /^npm (?:error|ERR!) Missing script: "(?<name>[^"]+)"$/, ...SCRIPT },
  {
    program: NPM,
    exitCodes: [1],
    pattern: /^Unknown command: "(?<name>[^"]+)"$/,
    ...other((name) => `npm has no command "${name}".`),
  },
  {
    program: NPM,
    exitCodes: [254],
    pattern: /^npm (?:error|ERR!) enoent .*ENOENT: no such file or directory, open '(?<folder>.+)\/package\.json'$/,
    ...MANIFEST,
  },
  {
    program: NPM,
    exitCodes: [1],
    pattern: /^npm (?:error|ERR!) npx canceled due to missing packages and no YES option: \["(?<name>@?[^"@]+)(?:@[^"]*)?"\]$/,
    ...PACKAGE,
  },
  {
    program: NPM,
    exitCodes: [1],
    pattern:
      /^npm (?:error|ERR!) 404 +(?:The requested resource )?'(?<name>@?[^'@]+)@[^']*' (?:could not be found|is not in this registry)/,
    ...other((name) => `There is no package ${name}.`),
  },
  { program: /^yarn$/, exitCodes: [1], pattern: /^error Command "(?<name>[^"]+)" not found\.$/, ...SCRIPT },
  { program: /^yarn$/, exitCodes: [1], pattern: /^Usage Error: Couldn't find a script named "(?<name>[^"]+)"\.$/, ...SCRIPT },
  {
    program: /^yarn$/,
    exitCodes: [1],
    pattern: /^error Couldn't find a package\.json file in "(?<folder>[^"]+)"$/,
    ...MANIFEST,
  },
  { program: /^yarn$/, exitCodes: [1], pattern: /^Usage Error: No project found in (?<folder>.+)$/, ...MANIFEST },
  { program: /^pnpm$/, exitCodes: [1], pattern: /^\s*ERR_PNPM_NO_SCRIPT\s+Missing script: (?<name>\S+)$/, ...SCRIPT },
  {
    program: /^pnpm$/,
    exitCodes: [1, 254],
    pattern: /^\s*ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\s+Command "(?<name>[^"]+)" not found$/,
    ...SCRIPT,
  },
  {
    program: /^pnpm$/,
    exitCodes: [1],
    pattern: /^\s*ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND\s+No package\.json .* was found in "(?<folder>[^"]+)"\.$/,
    ...MANIFEST,
  },
  { program: /^bun$/, exitCodes: [1], pattern: /^error: Script not found "(?<name>[^"]+)"$/, ...SCRIPT },
  { program: /^bun$/, exitCodes: [1], pattern: /^error: Module not found "(?<name>[^"]+)"$/, ...FILE },
  {
    program: /^deno$/,
    exitCodes: [1],
    pattern: /^Task not found: (?<name>\S+)$/,
    ...other((name) => `deno has no task "${name}".`),
  },
  { program: /^deno$/, exitCodes: [1], pattern: /^error: Module not found "file:\/\/(?<name>[^"]+)"\.$/, ...FILE },
  { program: /^deno$/, exitCodes: [1], pattern: /^error: Import 'file:\/\/(?<name>[^']+)' failed, not found\.$/, ...FILE },
  {
    program: /^deno$/,
    exitCodes: [1],
    pattern: /^error: unrecognized subcommand '(?<name>[^']+)'$/,
    ...other((name) => `deno has no command "${name}".`),
  },
  {
    program: /^deno$/,
    exitCodes: [1],
    pattern: /^error: deno task couldn't find deno\.json\(c\) or package\.json\./,
    ...other(() => 'There is no deno.json and no package.json.'),
  },
  { program: /^node$/, exitCodes: [1], pattern: /^Error: Cannot find module '(?<name>\/.+)'$/, ...FILE },
  { program: /^node$/, exitCodes: [1], pattern: /^Could not find '(?<name>.+)'$/, ...FILE },
  {
    program: PYTHON,
    exitCodes: [2],
    pattern: /^\S*python[\d.]*: can't open file '(?<name>.+)': \[Errno 2\] No such file or directory$/,
    ...FILE,
  },
  { program: PYTHON, exitCodes: [1], pattern: /^\S*python[\d.]*: No module named (?<name>[\w.]+)$/, ...PYTHON_MODULE },
  {
    program: PYTHON,
    exitCodes: [1],
    pattern: /^\S*python[\d.]*: Error while finding module specification for '(?<name>[\w.]+)' \(ModuleNotFoundError: .*\)$/,
    ...PYTHON_MODULE,
  },
  { program: /^py\.?test$/, exitCodes: [4], pattern: /^ERROR: file or directory not found: (?<name>.+)$/, ...FILE },
  {
    program: /^g?make$/,
    exitCodes: [2],
    pattern: /^g?make: \*\*\* No rule to make target [`'](?<name>.+)'\.\s+Stop\.$/,
    ...other((name) => `The makefile has no target ${name}.`),
  },
  {
    program: /^g?make$/,
    exitCodes: [2],
    pattern: /^g?make: \*\*\* (?<name>\S+): No such file or directory\.\s+Stop\.$/,
    ...FOLDER,
  },
  {
    program: /^g?make$/,
    exitCodes: [2],
    pattern: /^g?make: \*\*\* No targets specified and no makefile found\.\s+Stop\.$/,
    ...other(() => 'There is no makefile.'),
  },
  { program: SHELL, exitCodes: [2], pattern: /^\S+: \d+: (?:\.: )?cannot open (?<name>.+): No such file$/, ...FILE },
  {
    program: SHELL,
    exitCodes: [1, 127],
    pattern: /^\S*sh: (?:line \d+: )?(?<name>[^:]+): No such file or directory$/,
    ...FILE,
  },
  { program: SHELL, exitCodes: [127], pattern: /^\S*sh: \d+: (?<name>[^\s:]*\/[^\s:]+): not found$/, ...FILE },
  { program: SHELL, exitCodes: [1, 2], pattern: /^\S+: \d+: cd: can't cd to (?<name>.+)$/, ...FOLDER },
  { program: SHELL, exitCodes: [1], pattern: /^\S+: line \d+: cd: (?<name>.+): No such file or directory$/, ...FOLDER },
  {
    program: /^cargo$/,
    exitCodes: [101],
    pattern: /^error: could not find `Cargo\.toml` in `(?<folder>[^`]+)` or any parent directory$/,
    ...other(() => 'There is no Cargo.toml.'),
    isNew: true,
  },
  {
    program: /^cargo$/,
    exitCodes: [101],
    pattern: /^error: no such (?:sub)?command: `(?<name>[^`]+)`$/,
    ...other((name) => `cargo has no command ${name}.`),
  },
  {
    program: /^cargo$/,
    exitCodes: [101],
    pattern: /^error: no (?:test|bin|example|bench) target named `(?<name>[^`]+)`(?: in .*)?\.?$/,
    ...other((name) => `Cargo.toml has no target ${name}.`),
  },
  {
    program: /^cargo$/,
    exitCodes: [101],
    pattern: /^error: package ID specification `(?<name>[^`]+)` did not match any packages$/,
    ...other((name) => `There is no package ${name}.`),
  },
]
