import { execa } from 'execa'
import { lstatSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { childEnvironment } from '../process/command-options.ts'
import { insidePath } from './read-inside.ts'
import { walkedFiles } from './walked-files.ts'

/** A regular file of the codebase, as the system tells it apart. */
export interface ListedFile {
  readonly path: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The regular files of a folder that git does not ignore, sorted by path; those beyond `filesMax` are left out. */
export async function listedFiles(root: string, filesMax: number, signal: AbortSignal): Promise<readonly ListedFile[]> {
  const fromGit = await gitFiles(root, signal)
  // git lists nothing in a folder that its repository ignores as a whole; whoever names such a folder means its files.
  const paths = fromGit.length > 0 ? fromGit : walkedFiles(root, filesMax)
  const isReal = realFolders(root)
  return [...new Set(paths)]
    .filter((path) => path !== RESEARCH_SETTINGS)
    .toSorted()
    .slice(0, filesMax)
    .flatMap((path) => (insidePath(path) === path && isReal(posix.dirname(path)) ? (listed(root, path) ?? []) : []))
}

/** The settings of research name what people ask about (tokens, passwords, latency) and say nothing about the code. */
const RESEARCH_SETTINGS = 'pawl-research.yaml'

const DURATION_MS_MAX = 60_000
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/** A repository may name programs in its configuration that git would run while it looks for files; they are switched off. */
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.untrackedCache=false', 'core.quotePath=false']

/** What git tracks and what is new and not ignored; nothing where there is no repository or no git. */
async function gitFiles(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = [...SETTINGS.flatMap((setting) => ['-c', setting]), 'ls-files', '-co', '--exclude-standard', '-z']
  const result = await execa('git', args, {
    cwd: root,
    env: childEnvironment(
      ['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
      {
        LC_ALL: 'C',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
      },
    ),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    timeout: DURATION_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
    cancelSignal: signal,
  })
  signal.throwIfAborted()
  return result.failed ? [] : result.stdout.split('\0').slice(0, -1)
}

/** Whether a folder is where its path says: git lists a tracked file also when a link now stands where its folder was. */
function realFolders(root: string): (folder: string) => boolean {
  const known = new Map<string, boolean>([['.', true]])
  return (folder) => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const isReal = realOrNothing(join(root, folder)) === join(root, folder)
    known.set(folder, isReal)
    return isReal
  }
}

function realOrNothing(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // Deleted since git listed it.
    return undefined
  }
}

function listed(root: string, path: string): ListedFile | undefined {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false })
  return stat?.isFile() ? { path, bytes: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs } : undefined
}
