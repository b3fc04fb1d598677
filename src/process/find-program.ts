import { execFile } from 'node:child_process'
import type { CommandLine } from './command-options.ts'
import { resolveProgram } from './resolve-program.ts'
import type { CouldNotStart } from './run-command.ts'

/**
 * Why a command could not start in this folder with this environment; `undefined` when it could. Of a shell line the first word is
 * looked up, by the shell itself (it may be a word of its own); a line that begins with anything but a plain word is not judged.
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
  // With a slash it can only be a file, and not every shell looks whether that may be run.
  if (!word.includes('/') && (await isKnownToShell(word, cwd, env))) return undefined
  const program = await resolveProgram(word, cwd, env['PATH'])
  return program.status === 'found' ? undefined : couldNotStart(program.status, program.message)
}

function couldNotStart(reason: CouldNotStart['reason'], message: string): CouldNotStart {
  return { status: 'could-not-start', reason, message }
}

async function isKnownToShell(word: string, cwd: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...env }, timeout: 5000 }
    execFile('/bin/sh', ['-c', 'command -v "$1"', 'sh', word], options, (error) => resolve(error === null))
  })
}
