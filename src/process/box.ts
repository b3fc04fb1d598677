import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A separate place for a program: what is put before its command, and the folder it works in there. */
export interface Box {
  /** Programs and arguments that come before the command and start it inside. */
  readonly prefix: readonly string[]
  readonly cwd: string
  /** Set if it has its own programs: a command's program is looked up inside. */
  readonly hasOwnPrograms?: true
  /** A folder for temporary files that has the same path inside and outside. Default: the system's temporary folder. */
  readonly folder?: string
  /** Takes in what the program prints. */
  readonly see?: (bytes: Buffer) => void
}

/** What an agent needs outside its workspace. */
export interface BoxNeeds {
  /** Paths in the home folder where its login, settings and sessions are. */
  readonly home?: readonly string[]
  /** Those of its settings, commands and plug-ins there that it also obeys outside: read and never changed. */
  readonly settings?: readonly string[]
  /** Hosts that it talks to. */
  readonly hosts?: readonly string[]
  /** The program that it is. */
  readonly program?: string
  /** Files that its command names, wherever they are. */
  readonly files?: readonly string[]
}

/** A program of the system, whatever the PATH says. */
export function systemProgram(name: string): string | undefined {
  return SYSTEM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Where only the system's own packages and its administrator put programs. */
export const SYSTEM_FOLDERS: readonly string[] = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

/** Where a command runs. */
export interface Place {
  /** What comes before the command. */
  readonly prefix: readonly string[]
  /** Where the process starts. */
  readonly cwd: string
  /** Where the command runs, as it is seen from outside a box. */
  readonly folder: string
}

/** A folder of the workspace. A box starts at the top, so the command first has to change into its folder. */
export function placeIn({ cwd, box }: { readonly cwd: string; readonly box?: Box }, below: string): Place {
  const folder = resolve(cwd, below)
  if (!box) return { prefix: [], cwd: folder, folder }
  return { prefix: below === '' ? box.prefix : [...box.prefix, ...CHANGE_FOLDER, `./${below}`], cwd: box.cwd, folder }
}

const CHANGE_FOLDER = ['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'pawl']
