import { existsSync, realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { isElsewhere } from './asked-target.ts'
import type { CommandLine } from './command-options.ts'
import type { CommandTrouble } from './command-trouble.ts'
import { absentFile, absentScript, absentTarget, type AbsentTarget } from './absent-target.ts'
import { MISSING_TARGET_RULES, type MissingTargetRule } from './missing-target-rules.ts'

export interface UnexplainedCommand {
  readonly line: CommandLine
  readonly exitCode: number
  readonly text: string
  readonly cwd: string
  /** The PATH it had. */
  readonly path: string | undefined
}

/** A command whose program is there and says that what it is asked to run is not. */
export interface MissingTarget extends CommandTrouble {
  readonly fault: 'config'
  /** Whether it is a script, and one with nearly the same name is there. */
  readonly isSlip: boolean
  /** Set where nothing of a project is there yet. */
  readonly isNew?: true
}

/**
 * Whether a failed command failed since what it asks its program to run is not there: `npm run tset`, `node tests/run.js`. What can be
 * looked up is looked up. Else the complaint must be a whole line among the last ones, in the very words of a program that the
 * command names, with its exit code, and about something that the command names: a test that prints such words, or a script that
 * calls another one which is missing, is none. Never ask about a command whose report tells of tests.
 */
export async function missingTarget(command: UnexplainedCommand): Promise<MissingTarget | undefined> {
  const { line, cwd, path } = command
  const absent = line.shell === true ? undefined : await absentTarget(line.command, cwd, path)
  const found = absent ?? (await complaintOf(command))
  return found && { fault: 'config', ...found, fix: 'Correct the command of the check, or make what it runs.' }
}

/** The complaint of a program stands at the very end, with little around it. */
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
        match && isAbout(match.groups ?? {}, words, cwd) && (await bornOut(rule, match.groups?.['name'] ?? '', words, cwd))
      if (found) return found
    }
  }
  return undefined
}

/** The words of a command; of a line for the shell everything that may be one. */
function wordsOf(line: CommandLine): readonly string[] {
  if (line.shell !== true) return line.command
  return ['/bin/sh', ...line.command.split(/[\s;&|()<>'"`]+/).filter((word) => word !== '')]
}

/** A complaint counts only about what the command itself names, or about the folder in which it looks. */
function isAbout({ name, folder }: Readonly<Record<string, string>>, words: readonly string[], cwd: string): boolean {
  if (folder !== undefined) return [cwd, ...words.map((word) => resolve(cwd, word))].map(realPath).includes(realPath(folder))
  return name === undefined || wordFor(name, words, cwd) !== undefined
}

/** Programs name folders without the links in their paths. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Most words name no file; then the path itself is compared.
    return path
  }
}

/** The word that names it: as it stands, as a path, or as a package with its version. */
function wordFor(name: string, words: readonly string[], cwd: string): string | undefined {
  const isName = (word: string) => word === name || word.replace(/(?<=.)@[^/]*$/, '') === name
  return words.slice(1).find((word) => isName(word) || (name.startsWith('/') && isPath(word, name, cwd)))
}

/** After a `cd` only the end of a path can be known. */
function isPath(word: string, path: string, cwd: string): boolean {
  return resolve(cwd, word) === path || path.endsWith(`/${word.replace(/^\.\//, '')}`)
}

/** What can be looked up must not be there; in another folder it is not looked for. */
async function bornOut(
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
