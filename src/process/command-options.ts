import { basename } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** A program with its arguments, or with `shell: true` one line for `/bin/sh -c`. */
export type CommandLine =
  | { readonly command: readonly string[]; readonly shell?: false }
  | { readonly command: string; readonly shell: true }

/** The options of every driver that runs a command. */
export type CommandOptions = CommandLine & {
  readonly timeoutMs?: number
  /** Names of variables passed on from our own environment, besides `ENVIRONMENT_PASSED_ON`; `AWS_*` means all that begin with it. */
  readonly environment?: readonly string[]
  /** Variables set for the program. The journal records them as settings, so pass secrets by name, with `environment`. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The argument list. `extra` are further arguments; a shell line sees them as `$1`, `$2`, …. */
export function argumentList(line: CommandLine, extra: readonly string[] = []): readonly string[] {
  return line.shell === true ? ['/bin/sh', '-c', line.command, 'sh', ...extra] : [...line.command, ...extra]
}

/** What people call the program: `claude` for `/opt/bin/claude -p`. */
export function programName(line: CommandLine): string {
  return basename((line.shell === true ? line.command.trim().split(/\s+/) : line.command)[0] ?? '')
}

/** Throws a `PawlError` whose code begins with `place` (`agent.command`) if nothing can be started. */
export function checkCommandLine(place: string, { command, shell }: CommandLine): void {
  const refuse = (what: 'shape' | 'empty', sentence: string): never => {
    throw new PawlError(`${place}.${what}`, sentence, { value: command })
  }
  const parts: readonly unknown[] = Array.isArray(command) ? command : [command]
  const [first] = parts
  if (shell === true && typeof command !== 'string')
    refuse('shape', 'With shell: true, command must be one string, the line for /bin/sh.')
  if (shell !== true && !Array.isArray(command))
    refuse('shape', 'command must be a list of the program and its arguments; for a shell line, set shell: true as well.')
  if (typeof first !== 'string' || first.trim() === '')
    refuse('empty', 'command must not be empty: give the program and its arguments, such as ["npm", "test"].')
  if (parts.some((part) => typeof part !== 'string' || part.includes('\0')))
    refuse('shape', 'Every part of command must be text without NUL characters.')
}

/** What every child gets from our own environment, if set: enough to find programs and files, no secrets. */
const ENVIRONMENT_PASSED_ON: readonly string[] = ['PATH', 'HOME', 'USER', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'SHELL', 'TZ']

/**
 * A child's environment: our variables that are in `ENVIRONMENT_PASSED_ON` or `names` (`AWS_*` means all that begin with it), then
 * `variables`, which win. Leaves out variables whose name no shell can hold, because the gate couldn't pass them on.
 */
export function childEnvironment(names: readonly string[], variables: Readonly<Record<string, string>>): Record<string, string> {
  const wanted = [...ENVIRONMENT_PASSED_ON, ...names]
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && isVariableName(name) && wanted.some((each) => matches(name, each))) env[name] = value
  }
  return { ...env, ...variables }
}

/** Whether a shell can hold a variable of this name. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

function matches(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}
