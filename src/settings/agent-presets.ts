import { childEnvironment } from '../process/command-options.ts'
import { resolveProgram } from '../process/find-program.ts'

/** A well-known coding agent that Pawl can run unattended. */
export interface AgentPreset {
  /** What it is, in a few words. */
  readonly title: string
  /** The program on the PATH; absent for the agent that comes with Pawl. */
  readonly program?: string
  /** Where to get it: `npm install -g PACKAGE`. */
  readonly npmPackage?: string
  /** Set when it says what its work cost; all but tinker say how many tokens it took. */
  readonly isPriced?: true
  /** What shows that somebody is logged in. */
  readonly login?: LoginSigns
  /** What Pawl can use of it. */
  readonly supports?: readonly Support[]
}

/** What shows that somebody is logged in, without being read: a file in the home folder, or a variable that is set. */
export interface LoginSigns {
  readonly file: string
  /** The variable that names another folder for `file`, and the part of `file` that it replaces. */
  readonly folder?: { readonly variable: string; readonly of: string }
  readonly variables: readonly string[]
  /** How to log in. */
  readonly how: string
}

/**
 * What can be had of an agent: its events as they come (`stream`), its session in the next iteration (`resume`), a hook that keeps its own
 * sessions going (`hooks`), Pawl's tools in its sessions (`mcp`), the protocol for editors spoken by itself (`acp`), and what it says of its work.
 */
export type Support = 'stream' | 'resume' | 'hooks' | 'mcp' | 'acp' | 'permissions' | 'tokens' | 'cost'

/** Claude Code and Codex speak ACP only with the help of a program of others. */
const MOST: readonly Support[] = ['stream', 'resume', 'hooks', 'mcp', 'tokens']

const LOGINS = {
  claude: {
    file: '.claude/.credentials.json',
    folder: { variable: 'CLAUDE_CONFIG_DIR', of: '.claude' },
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    how: 'run `claude` and log in, or set ANTHROPIC_API_KEY',
  },
  codex: {
    file: '.codex/auth.json',
    folder: { variable: 'CODEX_HOME', of: '.codex' },
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    how: 'run `codex login`, or set CODEX_API_KEY',
  },
  gemini: {
    file: '.gemini/oauth_creds.json',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    how: 'run `gemini` and log in, or set GEMINI_API_KEY',
  },
  qwen: {
    file: '.qwen/oauth_creds.json',
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    how: 'run `qwen` and log in, or set OPENAI_API_KEY',
  },
  opencode: {
    file: '.local/share/opencode/auth.json',
    folder: { variable: 'XDG_DATA_HOME', of: '.local/share' },
    variables: ['OPENCODE_API_KEY', 'OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    how: 'run `opencode auth login`',
  },
} as const satisfies Readonly<Record<string, LoginSigns>>

/**
 * The agents that Pawl knows by name, the first one preferred. Those with a program have a driver of the same name, which runs it in the
 * mildest mode that edits files without asking.
 */
export const AGENT_PRESETS: Readonly<Record<string, AgentPreset>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    npmPackage: '@anthropic-ai/claude-code',
    isPriced: true,
    login: LOGINS.claude,
    supports: [...MOST, 'cost'],
  },
  codex: { title: 'Codex', program: 'codex', npmPackage: '@openai/codex', login: LOGINS.codex, supports: MOST },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    npmPackage: '@google/gemini-cli',
    login: LOGINS.gemini,
    supports: [...MOST, 'acp'],
  },
  qwen: {
    title: 'Qwen Code',
    program: 'qwen',
    npmPackage: '@qwen-code/qwen-code',
    login: LOGINS.qwen,
    supports: [...MOST, 'acp'],
  },
  opencode: {
    title: 'OpenCode',
    program: 'opencode',
    npmPackage: 'opencode-ai',
    isPriced: true,
    login: LOGINS.opencode,
    supports: ['stream', 'resume', 'mcp', 'acp', 'tokens', 'cost'],
  },
  tinker: { title: 'tries small edits until the check passes; comes with Pawl, no model' },
}

/** Every name that `agent` may have: the presets, then the user's own. */
export function agentNames(own: readonly string[] = []): readonly string[] {
  return [...new Set([...Object.keys(AGENT_PRESETS), ...own])]
}

/** The presets that have their own driver, which can be set in `agents` of pawl.yaml. */
export function driverNames(): readonly string[] {
  return Object.keys(AGENT_PRESETS).filter((name) => AGENT_PRESETS[name]?.program !== undefined)
}

/** A preset that can be run here. */
export interface FoundAgent {
  readonly name: string
  /** Where its program is; absent for the agent that comes with Pawl. */
  readonly path?: string
}

/** The presets that can be run here, in their order: those with a program on the PATH, and Pawl's own. */
export async function findAgents(folder: string): Promise<readonly FoundAgent[]> {
  const path = childEnvironment([], {})['PATH']
  const found = Object.entries(AGENT_PRESETS).map(async ([name, { program }]): Promise<readonly FoundAgent[]> => {
    if (program === undefined) return [{ name }]
    const resolved = await resolveProgram(program, folder, path)
    return resolved.status === 'found' ? [{ name, path: resolved.path }] : []
  })
  return (await Promise.all(found)).flat()
}
