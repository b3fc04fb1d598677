import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, cp, lstat, mkdir, readdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Agent } from './agent.ts'

/** Where an agent keeps the transcripts of its sessions, and how it is made to keep them elsewhere. */
export interface SessionPlace {
  /** Names the folder. */
  readonly variable: string
  /** That folder below the home folder, if nobody sets the variable. */
  readonly folder: string
  /** Where in it the agent's own files are. */
  readonly below: string
  /** Files and folders of the agent's own with what was said and done. */
  readonly transcripts: readonly string[]
  /** What it needs to log in and to work as it is set up: linked where its sessions are elsewhere. */
  readonly linked: readonly string[]
  /** The same for a file with other things in it that it changes: copied, and never copied back. */
  readonly copied?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The agents whose sessions Pawl can keep in a folder of the run. */
const SESSION_PLACES: Readonly<Record<string, SessionPlace>> = {
  claude: {
    variable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    below: '',
    transcripts: names(
      'projects history.jsonl todos tasks plans shell-snapshots file-history session-env sessions debug paste-cache',
    ),
    linked: names(
      '.credentials.json settings.json settings.local.json CLAUDE.md rules agents commands skills plugins hooks output-styles',
    ),
    copied: '.claude.json',
  },
  codex: {
    variable: 'CODEX_HOME',
    folder: '.codex',
    below: '',
    transcripts: names('sessions archived_sessions history.jsonl shell_snapshots log memories'),
    linked: names('auth.json config.toml hooks.json AGENTS.md AGENTS.override.md prompts rules skills'),
  },
  gemini: {
    variable: 'GEMINI_CLI_HOME',
    folder: '',
    below: '.gemini',
    transcripts: names('tmp history'),
    linked: names(
      'oauth_creds.json google_accounts.json gemini-credentials.json mcp-oauth-tokens.json installation_id settings.json trustedFolders.json .env GEMINI.md commands extensions policies skills agents',
    ),
  },
  qwen: {
    variable: 'QWEN_RUNTIME_DIR',
    folder: '.qwen',
    below: '',
    transcripts: names('projects tmp todos history debug'),
    linked: [],
  },
  opencode: {
    variable: 'XDG_DATA_HOME',
    folder: '.local/share',
    below: 'opencode',
    transcripts: names('opencode.db opencode.db-wal storage snapshot log tool-output'),
    linked: names('auth.json mcp-auth.json bin'),
  },
}

function names(line: string): readonly string[] {
  return line.split(' ')
}

/** The agent's own files, as its variables say. */
function ownFolder({ variable, folder, below }: SessionPlace, env: Environment): string {
  return join(env[variable] ?? join(env['HOME'] ?? homedir(), folder), below)
}

/** Calls `use` with the variables by which an agent keeps its sessions in a folder. Its login is there too, and a renewed one is kept. */
export async function withSessionsIn<Result>(
  folder: string,
  agent: string,
  env: Environment,
  use: (variables: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const place = SESSION_PLACES[agent]
  if (!place) return use({})
  const real = await realpath(folder)
  const top = join(real, agent)
  const there = join(top, place.below)
  const own = ownFolder(place, env)
  await mkdir(there, { recursive: true, mode: 0o700 })
  if (!(await isReal(there))) throw new Error(`${there} is a link, which an agent must have made: remove it with pawl clean.`)
  for (const name of place.linked)
    if (await isThere(join(own, name))) await symlink(join(own, name), join(there, name)).catch(keepExisting)
  const { copied } = place
  const home = env[place.variable] ?? env['HOME'] ?? homedir()
  if (copied !== undefined && (await isThere(join(home, copied))))
    await cp(join(home, copied), join(there, copied), { force: false, mode: 0 })
  try {
    return await use({ [place.variable]: top })
  } finally {
    await keepRenewed(place.linked, own, there)
  }
}

/** A program that replaces a file puts its own in place of the link: that is the login from now on. Changed settings aren't kept. */
async function keepRenewed(linked: readonly string[], own: string, there: string): Promise<void> {
  if (!(await isReal(there))) return
  for (const name of linked.filter((each) => LOGIN.test(each))) {
    const path = join(there, name)
    const found = await lstat(path).catch(() => undefined)
    if (!found?.isFile()) continue
    await rm(join(own, name), { force: true })
    // Never through a link that an agent has put there.
    await copyFile(path, join(own, name), constants.COPYFILE_EXCL)
    await rm(path)
  }
}

const LOGIN = /auth|cred|account/

/** Whether no link leads to a folder: an agent can write to it, and Pawl writes there outside the agent's box. */
async function isReal(folder: string): Promise<boolean> {
  return (await realpath(folder).catch(() => undefined)) === folder
}

function keepExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

/** The agent, with its sessions in a folder of the run. */
export function withRunSessions(agent: Agent, storePath: string): Agent {
  const work: Agent['work'] = async (request, context) => {
    const sessions = runSessions(storePath, request.run)
    await mkdir(sessions, { recursive: true, mode: 0o700 })
    return agent.work({ ...request, sessions }, context)
  }
  // An agent may inherit what it has.
  return Object.assign(Object.create(agent) as Agent, { work })
}

/** The folder with the sessions of a run: below the user's own files, since a box hides those of the project. */
function runSessions(storePath: string, run = ''): string {
  const { XDG_STATE_HOME: given = '' } = process.env
  const state = isAbsolute(given) ? given : join(homedir(), '.local', 'state')
  return join(state, 'pawl', 'sessions', createHash('sha256').update(storePath).digest('hex').slice(0, 16), run)
}

/** Removes the sessions of a run. */
export async function removeRunSessions(storePath: string, run: string): Promise<void> {
  await rm(runSessions(storePath, run), { recursive: true, force: true })
}

/** The runs of a project that have sessions of their own. */
export async function runsWithSessions(storePath: string): Promise<readonly string[]> {
  return readdir(runSessions(storePath)).catch(() => [])
}

/** Transcripts of one agent in one place. */
export interface Transcripts {
  readonly path: string
  readonly files: number
  readonly bytes: number
}

/** Where an agent keeps transcripts on this machine, and how much is there. Nothing is read but names and sizes. */
export async function transcriptsOf(agent: string, env: Environment): Promise<readonly Transcripts[]> {
  const place = SESSION_PLACES[agent]
  if (!place) return []
  const own = ownFolder(place, env)
  const all = await Promise.all(place.transcripts.map((name) => amountIn(join(own, name))))
  return all.filter(({ files }) => files > 0)
}

async function amountIn(path: string): Promise<Transcripts> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile()) return { path, files: 1, bytes: found.size }
  const entries = found?.isDirectory() ? await readdir(path, { withFileTypes: true, recursive: true }).catch(() => []) : []
  let [files, bytes] = [0, 0]
  for (const entry of entries) {
    if (!entry.isFile()) continue
    files += 1
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return { path, files, bytes }
}
