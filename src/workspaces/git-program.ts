import { execa } from 'execa'
import { PawlError } from '../core/pawl-error.ts'
import { GIT_DURATION_MS_MAX, gitLate, limitGit } from './git-time-limit.ts'

/** One call of the `git` program. Paths go in and come out as raw bytes, so that no file name is ever misread. */
export interface GitCall {
  readonly cwd: string
  /** On top of the cleaned environment: which repository, index and work tree. */
  readonly env?: Readonly<Record<string, string>>
  /** Written to its standard input, as `latin1` (one character is one byte). */
  readonly input?: string
  /** Exit codes that are answers and not failures; default only 0. */
  readonly exitCodes?: readonly number[]
  /** After this it is ended, with all it started. Default `GIT_DURATION_MS_MAX`. */
  readonly durationMsMax?: number
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs git without a shell, untouched by hooks, editors, prompts and the caller's `GIT_*` variables; rejects with a `PawlError`. */
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

/** The same for an output of any size, handed over in chunks as it comes. */
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

/** An operating error in git's own words, which say best what to do. */
export function gitFailure(command: string, place: string, said: string, cause?: unknown): PawlError {
  return new PawlError('workspace.git-failed', `git ${command} failed in ${place}: ${said.trim()}`, { cause })
}

/** There is no git, or no such folder. */
export function gitMissing(place: string, cause: unknown): PawlError {
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

/** A raw name as text for people and the journal. */
export function readableName(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8')
}

/** Text as a raw name. */
export function rawName(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/**
 * What a user's configuration must not change here. Loose objects and refs are flushed to disk one by one: a snapshot named in
 * the journal has to survive a power cut, and `batch` is promised only for macOS and Windows.
 */
export const GIT_SETTINGS: readonly string[] = [
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

/** The output as it is, byte for byte. */
export const WHOLE_OUTPUT = { encoding: 'buffer', stripFinalNewline: false, maxBuffer: 512 * 1024 * 1024 } as const

/** All that git gets to see of our environment: how to find programs, folders and the user's own configuration. */
const PASSED_ON: ReadonlySet<string> = new Set(
  [
    'PATH HOME XDG_CONFIG_HOME TMPDIR TEMP TMP LD_LIBRARY_PATH',
    'SYSTEMROOT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA',
    'GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EXEC_PATH GIT_CEILING_DIRECTORIES',
  ].flatMap((names) => names.split(' ')),
)

/** Settings a user passes on to every git this way, `safe.directory` most of all; ours go before them. */
const NUMBERED_SETTING = /^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+)$/

/** Where and with what git is started. */
export function gitOptions(call: Pick<GitCall, 'cwd' | 'env'>) {
  return {
    cwd: call.cwd,
    env: { ...environment(), ...call.env },
    extendEnv: false,
    reject: false,
    // A group of its own: Ctrl-C at a terminal is for Pawl, which pauses once git is done; and `limitGit` can end all of it.
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

/** "ls-files", whatever settings stand before it. */
function commandOf(args: readonly string[]): string {
  return args.find((word, index) => word !== '-c' && args[index - 1] !== '-c') ?? ''
}
