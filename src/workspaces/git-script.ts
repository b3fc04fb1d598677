import { execa } from 'execa'
import { GIT_SETTINGS, gitFailure, gitMissing, gitOptions, WHOLE_OUTPUT } from './git-program.ts'
import { GIT_DURATION_MS_MAX, gitLate, limitGit } from './git-time-limit.ts'
import { shellWord } from '../core/shell-word.ts'

/** Several calls of git in the words of a POSIX shell, where `git` is the program with our settings. */
export interface GitScript {
  /** What it does, for people: the command to name when it fails. */
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
  /** Settings on top of our own, each after a `-c`. */
  readonly settings: readonly string[]
  /** After this all of it is ended. Default `GIT_DURATION_MS_MAX`. */
  readonly durationMsMax?: number
}

/**
 * Runs git several times from one shell and answers with the outputs. To start a program takes Node longer the more memory it has, some
 * milliseconds; a shell starts it in a fraction of that.
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

/** What a shell says of a program that is not there. */
const NOT_FOUND = 127

/** In a script of the shadow: from here on, or within brackets, git works in the user's own repository. */
export const IN_USERS_REPOSITORY = 'unset GIT_DIR GIT_WORK_TREE GIT_OBJECT_DIRECTORY GIT_INDEX_FILE'
