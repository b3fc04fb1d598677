import { execa } from 'execa'
import { PawlError } from '../core/pawl-error.ts'
import { shellWord } from '../core/wording.ts'

/** One call of `git`. Paths are raw bytes, so that no file name is misread. */
export interface GitCall {
  readonly cwd: string
  /** Added to the cleaned environment: which repository, index and work tree. */
  readonly env?: Readonly<Record<string, string>>
  /** Written to its standard input, as `latin1` (one character is one byte). */
  readonly input?: string
  /** Exit codes that aren't failures; default only 0. */
  readonly exitCodes?: readonly number[]
  /** Ended after this, with everything it started. Default `GIT_DURATION_MS_MAX`. */
  readonly durationMsMax?: number
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs git without a shell, hooks, editors, prompts and the caller's `GIT_*` variables; rejects with a `PawlError`. */
export async function git(args: readonly string[], call: GitCall): Promise<GitResult> {
  const { durationMsMax = GIT_DURATION_MS_MAX } = call
  const child = execa('git', [...GIT_SETTINGS, ...args], {
    ...gitOptions(call),
    ...WHOLE_OUTPUT,
    ...(call.input === undefined ? { stdin: 'ignore' } : { input: Buffer.from(call.input, 'latin1') }),
  })
  const limit = limitGit(child, durationMsMax)
  const result = await child
  if (limit.isReached()) throw gitLate(commandOf(args), call.cwd, durationMsMax, result)
  const stderr = Buffer.from(result.stderr).toString('utf8')
  const exitCodes = call.exitCodes ?? [0]
  if (result.failed && !exitCodes.includes(result.exitCode ?? -1)) throw failure(args, call, result, stderr)
  return { exitCode: result.exitCode ?? 0, stdout: Buffer.from(result.stdout), stderr }
}

/** The same for an output of any size, in chunks. */
export async function* gitChunks(args: readonly string[], call: GitCall): AsyncGenerator<Buffer> {
  const { durationMsMax = GIT_DURATION_MS_MAX } = call
  const child = execa('git', [...GIT_SETTINGS, ...args], {
    ...gitOptions(call),
    stdin: 'ignore',
    buffer: { stdout: false, stderr: true },
  })
  const limit = limitGit(child, durationMsMax)
  for await (const chunk of child.stdout) yield chunk as Buffer
  const result = await child
  if (limit.isReached()) throw gitLate(commandOf(args), call.cwd, durationMsMax, result)
  if (result.failed) throw failure(args, call, result, result.stderr)
}

/** An operating error in git's own words. */
export function gitFailure(command: string, place: string, said: string, cause?: unknown): PawlError {
  return new PawlError('workspace.git-failed', `git ${command} failed in ${place}: ${said.trim()}`, { cause })
}

/** There is no git, or no such folder. */
function gitMissing(place: string, cause: unknown): PawlError {
  const sentence = `git could not be started in ${place}: install git, or check that the folder is there.`
  return new PawlError('workspace.git-missing', sentence, { cause })
}

/** The names in NUL-separated output, one character per byte. */
export function rawNames(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1)
}

/** Raw names as git reads them from its standard input. */
export function nulEnded(names: Iterable<string>): string {
  return Array.from(names, (name) => `${name}\0`).join('')
}

/**
 * Settings that the user's configuration must not change here. Loose objects and refs are flushed to disk one by one: a snapshot in the
 * journal must survive a power cut, and `batch` is safe only on macOS and Windows.
 */
const GIT_SETTINGS: readonly string[] = [
  'core.fsync=loose-object,pack,pack-metadata,reference',
  'core.fsyncMethod=fsync',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.sparseCheckout=false',
  'index.sparse=false',
  'diff.suppressBlankEmpty=false',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting])

/**
 * The environment in which git runs no filter that the repository defines for itself. An agent can write there, or put another repository
 * in its place; filters of the user's own settings stay. A filter that is needed makes git fail if `isRequired`, else it is left out.
 * By variables and not by `-c`, since a filter's name may contain `=`.
 */
export async function withoutOwnFilters(cwd: string, isRequired: boolean): Promise<Readonly<Record<string, string>>> {
  const asked = ['config', '--null', '--show-scope', '--name-only', '--get-regexp', String.raw`^(filter|lfs\.extension)\.`]
  const words = (await git(asked, { cwd, exitCodes: [0, 1] })).stdout.toString('utf8').split('\0').slice(0, -1)
  const own = words.filter((_, index) => index % 2 === 1 && ['local', 'worktree'].includes(words[index - 1]!))
  const filters = new Set(own.map((name) => name.slice(0, name.lastIndexOf('.'))))
  const pairs = [...filters].flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((command) => [`${name}.${command}`, ''] as const),
    [`${name}.required`, String(isRequired)] as const,
  ])
  const first = Number(process.env['GIT_CONFIG_COUNT'] ?? 0)
  const numbered = pairs.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return pairs.length === 0 ? {} : { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(first + pairs.length) }
}

/** The output as it is, byte for byte. */
const WHOLE_OUTPUT = { encoding: 'buffer', stripFinalNewline: false, maxBuffer: 512 * 1024 * 1024 } as const

/** The only variables that git gets from our environment: how to find programs, folders and the user's configuration. */
const PASSED_ON: ReadonlySet<string> = new Set(
  [
    'PATH HOME XDG_CONFIG_HOME TMPDIR TEMP TMP LD_LIBRARY_PATH',
    'SYSTEMROOT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA',
    'GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EXEC_PATH GIT_CEILING_DIRECTORIES',
  ].flatMap((names) => names.split(' ')),
)

/** Settings that a user passes to every git, especially `safe.directory`; ours come before them. */
const NUMBERED_SETTING = /^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+)$/

/** Where and with what git is started. */
function gitOptions(call: Pick<GitCall, 'cwd' | 'env'>) {
  return {
    cwd: call.cwd,
    env: { ...environment(), ...call.env },
    extendEnv: false,
    reject: false,
    // Its own group: Ctrl-C at a terminal is for Pawl, which pauses once git is done; and `limitGit` can end all of it.
    detached: true,
  } as const
}

function environment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase()) || NUMBERED_SETTING.test(name))
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An agent could let git read other objects in place of those that a snapshot has.
    GIT_NO_REPLACE_OBJECTS: '1',
    // For versions of git that don't know the line above: no transport may be started for a missing object.
    GIT_ALLOW_PROTOCOL: 'none',
  }
}

function failure(
  args: readonly string[],
  call: GitCall,
  error: { readonly code?: unknown; readonly shortMessage?: unknown },
  stderr: string,
): PawlError {
  if (error.code === 'ENOENT') return gitMissing(call.cwd, error)
  return gitFailure(commandOf(args), call.cwd, stderr.trim() || String(error.shortMessage), error)
}

/** "ls-files", without the settings before it. */
function commandOf(args: readonly string[]): string {
  return args.find((word, index) => word !== '-c' && args[index - 1] !== '-c') ?? ''
}

/** Several calls of git as a POSIX shell script, in which `git` has our settings. */
export interface GitScript {
  /** The command to name if it fails. */
  readonly command: string
  readonly lines: string
  /** `$1` and so on. */
  readonly arguments: readonly string[]
  /** How many outputs it has besides the standard one, from descriptor 3 on. Default none. */
  readonly more?: number
}

export interface ScriptPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Settings besides our own, each after a `-c`. */
  readonly settings: readonly string[]
  /** After this all of it is ended. Default `GIT_DURATION_MS_MAX`. */
  readonly durationMsMax?: number
}

/**
 * Runs git several times from one shell and returns the outputs. Node needs milliseconds to start a program, more with more memory; a
 * shell needs a fraction of that.
 */
export async function gitScript(script: GitScript, place: ScriptPlace): Promise<readonly Buffer[]> {
  const { cwd, env, settings, durationMsMax = GIT_DURATION_MS_MAX } = place
  const words = [...GIT_SETTINGS, ...settings].map(shellWord).join(' ')
  const lines = `git() { command git ${words} "$@"; }\n${script.lines}`
  const more = Array.from({ length: script.more ?? 0 }, () => 'pipe' as const)
  const child = execa('/bin/sh', ['-c', lines, 'pawl', ...script.arguments], {
    ...gitOptions({ cwd, env }),
    ...WHOLE_OUTPUT,
    stdio: ['ignore', 'pipe', 'pipe', ...more],
  })
  const limit = limitGit(child, durationMsMax)
  const result = await child
  if (limit.isReached()) throw gitLate(script.command, cwd, durationMsMax, result)
  const [, stdout, stderr, ...others] = result.stdio as readonly (Uint8Array | undefined)[]
  if (result.code === 'ENOENT' || result.exitCode === NOT_FOUND) throw gitMissing(cwd, result)
  const said = Buffer.from(stderr ?? [])
    .toString('utf8')
    .trim()
  if (result.failed) throw gitFailure(script.command, cwd, said || String(result.shortMessage), result)
  return [stdout, ...others].map((each) => Buffer.from(each ?? []))
}

/** A shell's exit code for a missing program. */
const NOT_FOUND = 127

/** In a script of the shadow: from here on, or within brackets, git works in the user's own repository. */
export const IN_USERS_REPOSITORY = 'unset GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_OBJECT_DIRECTORY GIT_INDEX_FILE'

/**
 * How long a call of git may take. A first snapshot flushes every file to disk, which takes minutes with many files and a slow disk.
 */
const GIT_DURATION_MS_MAX = 15 * 60_000

/** What execa gives for a call that is under way. */
interface GitUnderWay extends PromiseLike<unknown> {
  readonly pid?: number | undefined
}

/**
 * Ends a call of git that takes too long, with its whole process group. Execa's own limit would end only the shell and then wait
 * forever for the git below it. Reports afterwards whether that happened.
 */
function limitGit(underWay: GitUnderWay, durationMsMax: number): { readonly isReached: () => boolean } {
  let isReached = false
  const timer = setTimeout(() => {
    isReached = true
    endGroup(underWay.pid)
  }, durationMsMax)
  const stop = (): void => clearTimeout(timer)
  void underWay.then(stop, stop)
  return { isReached: () => isReached }
}

/** A call that was ended because it took too long. */
function gitLate(command: string, place: string, durationMsMax: number, cause?: unknown): PawlError {
  const limit = durationMsMax < 60_000 ? `${durationMsMax / 1000} seconds` : `${Math.round(durationMsMax / 60_000)} minutes`
  const sentence =
    `git ${command} did not end within ${limit}: it was ended; look in ${place} for what cannot be read to its end, ` +
    'such as a pipe named .gitignore (find . -type p) or a drive that does not answer.'
  return new PawlError('workspace.git-late', sentence, { cause })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
