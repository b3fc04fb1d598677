import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { shellWord } from '../core/wording.ts'
import type { PartSpec } from '../core/run-config.ts'

/*
 * The user's own files of Pawl. They are outside every project, so an agent that can write only to its project can't change them.
 */

/** The folder with them: `~/.config/pawl`, or below `XDG_CONFIG_HOME`. */
export function userFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME: given = '' } = env
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'pawl')
}

/** What a check runs, as a line for the shell; `undefined` for one that only looks at files. */
export function commandText({ settings: { command, cwd } }: PartSpec): string | undefined {
  if (typeof command !== 'string' && !Array.isArray(command)) return undefined
  const line = typeof command === 'string' ? command.trim() : command.map((word) => shellWord(String(word))).join(' ')
  return typeof cwd === 'string' ? `cd ${shellWord(cwd)} && ${line}` : line
}

/** The commands that agents may use as checks in a project, because its user says so. */
export function trustedCommands(root: string, folder = userFolder()): readonly string[] {
  return readTrust(folder)[root] ?? []
}

/** Replaces the commands that agents may use as checks in a project. */
export function trustCommands(root: string, commands: readonly string[], folder = userFolder()): void {
  const { [root]: _before, ...others } = readTrust(folder)
  const all = commands.length === 0 ? others : { ...others, [root]: [...new Set(commands)] }
  writePrivate(trustPath(folder), `${JSON.stringify(all, undefined, 2)}\n`)
}

/** Whether the user lets Pawl run what a project's pawl.yaml names without being asked to by a command of theirs. */
export function isTrusted(root: string, folder = userFolder()): boolean {
  return foldersTrusted(folder).includes(root)
}

/** Lets Pawl run it from now on, or no longer. */
export function trustFolder(root: string, isWanted = true, folder = userFolder()): void {
  const others = foldersTrusted(folder).filter((each) => each !== root)
  if (isWanted === isTrusted(root, folder)) return
  writePrivate(join(folder, TRUSTED_FOLDERS), [...others, ...(isWanted ? [root] : [])].map((each) => `${each}\n`).join(''))
}

const TRUSTED_FOLDERS = 'trusted-folders'

function foldersTrusted(folder: string): readonly string[] {
  return (textIn(join(folder, TRUSTED_FOLDERS)) ?? '').split('\n').filter((line) => line !== '')
}

function trustPath(folder: string): string {
  return join(folder, 'trusted-commands.json')
}

function readTrust(folder: string): Readonly<Record<string, readonly string[]>> {
  const path = trustPath(folder)
  const text = textIn(path)
  if (text === undefined) return {}
  try {
    const projects = JSON.parse(text) as unknown
    if (typeof projects !== 'object' || projects === null || !Object.values(projects).every(isTexts)) throw new TypeError('shape')
    return projects as Readonly<Record<string, readonly string[]>>
  } catch (cause) {
    throw new PawlError('config.trust', `${path} isn't a map of projects to commands. Fix it or delete it.`, {
      value: path,
      cause,
    })
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** The variable that shows that an agent, or Pawl itself, started this program; `undefined` if none does. */
export function agentSign(env: NodeJS.ProcessEnv): string | undefined {
  return AGENT_VARIABLES.find((name) => (env[name] ?? '') !== '')
}

/** Variables that agents, and Pawl itself, set for the programs they start. */
const AGENT_VARIABLES = [
  'PAWL_RUN',
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_THREAD_ID',
  'CODEX_SANDBOX',
  'GEMINI_CLI',
  'GEMINI_SESSION_ID',
  'QWEN_CODE',
  'OPENCODE',
] as const

/** Whether an agent wrote a file on this machine before, as `key` describes it. */
export function isProbed(key: string, folder = userFolder()): boolean {
  return (textIn(probesPath(folder)) ?? '').split('\n').includes(key)
}

/** Notes that it did. */
export function rememberProbe(key: string, folder = userFolder()): void {
  const before = (textIn(probesPath(folder)) ?? '').split('\n').filter((line) => line !== '' && line !== key)
  writePrivate(probesPath(folder), `${[...before.slice(-PROBES_KEPT_MAX), key].join('\n')}\n`)
}

const PROBES_KEPT_MAX = 100

function probesPath(folder: string): string {
  return join(folder, 'probed-agents')
}

/** What clients of `pawl mcp --http` have to know. It is made once, so that they need it only once. */
export function httpToken(folder = userFolder()): { readonly token: string; readonly path: string } {
  const path = join(folder, 'mcp-token')
  const kept = textIn(path)?.trim()
  // A short one was written by somebody else, or cut.
  if (kept !== undefined && kept.length >= TOKEN_LENGTH_MIN) return { token: kept, path }
  const token = randomBytes(32).toString('base64url')
  writePrivate(path, `${token}\n`)
  return { token, path }
}

const TOKEN_LENGTH_MIN = 32

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whole or not at all, and for nobody else to read. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}
