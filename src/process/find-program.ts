import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import type { CommandLine } from './command-options.ts'

export type ResolvedProgram =
  | { readonly status: 'found'; readonly path: string }
  | { readonly status: 'not-found' | 'not-executable'; readonly message: string }

/**
 * Finds a program as a shell would: on `path` (the child's PATH), or from `cwd` if its name has a slash. Done before the start, so that
 * a missing program is never confused with one that exits with 127.
 */
export async function resolveProgram(name: string, cwd: string, path = '/usr/bin:/bin'): Promise<ResolvedProgram> {
  const candidates = name.includes('/') ? [resolve(cwd, name)] : path.split(delimiter).map((folder) => resolve(cwd, folder, name))
  let refused: string | undefined
  for (const candidate of candidates) {
    const kind = await kindOf(candidate)
    if (kind === 'program') return checkInterpreter(name, candidate)
    if (kind === 'not-executable') refused ??= candidate
  }
  if (refused !== undefined)
    return { status: 'not-executable', message: `\`${name}\` can't run: ${refused} isn't an executable file.` }
  return {
    status: 'not-found',
    message: name.includes('/') ? `${candidates[0]} doesn't exist.` : `\`${name}\` not found on PATH.`,
  }
}

async function kindOf(candidate: string): Promise<'program' | 'not-executable' | 'nothing'> {
  const stats = await stat(candidate).catch(() => undefined)
  if (stats === undefined) return 'nothing'
  if (!stats.isFile()) return 'not-executable'
  return (await isExecutable(candidate)) ? 'program' : 'not-executable'
}

/** A script whose `#!` names a missing program (a moved virtual environment) couldn't start either. */
async function checkInterpreter(name: string, path: string): Promise<ResolvedProgram> {
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(await firstBytes(path))?.[1]
  if (interpreter === undefined || !interpreter.startsWith('/') || (await isExecutable(interpreter)))
    return { status: 'found', path }
  return {
    status: 'not-executable',
    message: `\`${name}\` can't run: ${path} asks for the interpreter ${interpreter}, which doesn't exist.`,
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Empty for a program that may be run but not read: that isn't a script. */
async function firstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Why a command could not start in this folder with this environment; `undefined` if it could. For a shell line, the shell looks up the
 * first word (which may be a builtin); a line that begins with anything but a plain word isn't checked.
 */
export async function findProgram(
  line: CommandLine,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CouldNotStart | undefined> {
  if (line.shell !== true) {
    const program = await resolveProgram(line.command[0] ?? '', cwd, env['PATH'])
    return program.status === 'found' ? undefined : couldNotStart(program.status, program.message)
  }
  const word = /^\s*([\w./+-]+)(?=\s|$)/.exec(line.command)?.[1]
  if (word === undefined || word.startsWith('-')) return undefined
  // With a slash it can only be a file, and not every shell checks whether it is executable.
  if (!word.includes('/') && (await isKnownToShell(word, cwd, env))) return undefined
  const program = await resolveProgram(word, cwd, env['PATH'])
  return program.status === 'found' ? undefined : couldNotStart(program.status, program.message)
}

/** The result for a program that cannot be started. */
export function couldNotStart(reason: CouldNotStart['reason'], message: string): CouldNotStart {
  return { status: 'could-not-start', reason, message }
}

async function isKnownToShell(word: string, cwd: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  return new Promise((done) => {
    const options = { cwd, env: { ...env }, timeout: 5000 }
    execFile('/bin/sh', ['-c', 'command -v "$1"', 'sh', word], options, (error) => done(error === null))
  })
}

/** Nothing ran. `message` is a sentence for people. */
export interface CouldNotStart {
  readonly status: 'could-not-start'
  readonly reason: 'not-found' | 'not-executable' | 'no-such-folder' | 'other'
  readonly message: string
}
