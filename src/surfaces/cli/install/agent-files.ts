import { join } from 'node:path'
import { shellWord } from '../../../core/wording.ts'
import { skillText } from './own-part.ts'

/** The agents that Pawl can be installed into. */
export const INSTALLABLE = ['claude', 'codex', 'gemini', 'qwen'] as const

export type InstallableAgent = (typeof INSTALLABLE)[number]

/** `local`: in the project, but in files that are yours alone. Only Claude Code has such files. */
export type InstallScope = 'project' | 'local' | 'user'

/** One file that belongs to an agent, and what of it is ours. */
export type AgentFile = { readonly path: string } & (
  | { readonly kind: 'hooks'; readonly groups: readonly HookGroup[] }
  /** `at`: where its servers are. Default: at the top, under `mcpServers`. */
  | { readonly kind: 'server'; readonly server: Server; readonly at?: readonly string[] }
  | { readonly kind: 'settings'; readonly groups: readonly HookGroup[]; readonly server: Server }
  | { readonly kind: 'toml'; readonly server: Server }
  | { readonly kind: 'text'; readonly text: string }
)

export interface HookGroup {
  readonly event: string
  readonly group: { readonly matcher?: string; readonly hooks: readonly object[] }
}

export interface Server {
  readonly command: string
  readonly args: readonly string[]
}

export interface Places {
  readonly scope: InstallScope
  /** The project's folder. */
  readonly root: string
  /** The user's folder. */
  readonly home: string
  /** How this Pawl is called: a name on the PATH, or a path. */
  readonly pawl: string
  /** Whether every session is held to the checks of pawl.yaml. */
  readonly isAlways?: boolean
}

/** Everything that installing writes for an agent. */
export function agentFiles(agent: InstallableAgent, places: Places): readonly AgentFile[] {
  const { scope, root, home, isAlways = false, pawl } = places
  const base = scope === 'user' ? home : root
  const server: Server = { command: pawl, args: ['mcp'] }
  const groups = hookGroups(agent, `${shellWord(pawl)} hook ${agent}${isAlways ? ' --always' : ''}`, isAlways).map((group) =>
    withHint(group, pawl),
  )
  const skill = (folder: string): AgentFile => ({
    kind: 'text',
    path: join(base, folder, 'skills', 'pawl', 'SKILL.md'),
    text: skillText,
  })
  switch (agent) {
    case 'claude':
      if (scope === 'local')
        return [
          { kind: 'hooks', path: join(root, '.claude', 'settings.local.json'), groups },
          { kind: 'server', path: join(home, '.claude.json'), server, at: ['projects', root] },
        ]
      return [
        { kind: 'hooks', path: join(base, '.claude', 'settings.json'), groups },
        { kind: 'server', path: scope === 'project' ? join(root, '.mcp.json') : join(home, '.claude.json'), server },
        skill('.claude'),
      ]
    case 'codex':
      return [
        { kind: 'hooks', path: join(base, '.codex', 'hooks.json'), groups },
        { kind: 'toml', path: join(base, '.codex', 'config.toml'), server },
        skill('.agents'),
      ]
    default:
      return [{ kind: 'settings', path: join(base, `.${agent}`, 'settings.json'), groups, server }, skill(`.${agent}`)]
  }
}

/** The end of a turn may run every check, and so may a tool's hook when a guard trips: both may take as long. */
const SECONDS_MAX = 900
const BIND_SECONDS_MAX = 60

/** Claude and Codex count in seconds, Gemini and Qwen in milliseconds. */
function hookGroups(agent: InstallableAgent, command: string, isAlways: boolean): readonly HookGroup[] {
  const handler = (seconds: number, factor: number) => ({ type: 'command', command, timeout: seconds * factor })
  const named = { name: 'pawl', ...handler(SECONDS_MAX, 1000) }
  const prompt = agent === 'gemini' || agent === 'qwen' ? named : handler(BIND_SECONDS_MAX, 1)
  const event = agent === 'gemini' ? 'BeforeAgent' : 'UserPromptSubmit'
  return [...loopGroups(agent, handler, named), ...(isAlways ? [{ event, group: { hooks: [prompt] } }] : [])]
}

/**
 * The files may be shared with people who don't have Pawl: then the end of a turn shows a hint, and nothing fails. Our own part is
 * recognized by the end of the command.
 */
function withHint({ event, group }: HookGroup, pawl: string): HookGroup {
  const isEnd = event === 'Stop' || event === 'AfterAgent'
  const say = isEnd ? `echo '${JSON.stringify({ systemMessage: HINT })}'; ` : ''
  const hooks = group.hooks.map((hook) => ({
    ...hook,
    command: `command -v ${shellWord(pawl)} >/dev/null 2>&1 || { ${say}exit 0; }; ${(hook as { command: string }).command}`,
  }))
  return { event, group: { ...group, hooks } }
}

/** What the hooks say where Pawl is not installed. */
export const HINT = 'This project uses Pawl, which is not installed here. Its checks are not run.'

function loopGroups(
  agent: InstallableAgent,
  handler: (seconds: number, factor: number) => object,
  named: object,
): readonly HookGroup[] {
  switch (agent) {
    case 'claude':
      return [
        { event: 'Stop', group: { hooks: [handler(SECONDS_MAX, 1)] } },
        { event: 'PostToolBatch', group: { hooks: [handler(SECONDS_MAX, 1)] } },
        { event: 'PostToolUse', group: { matcher: 'mcp__.*pawl.*__iteration_start', hooks: [handler(BIND_SECONDS_MAX, 1)] } },
      ]
    case 'codex':
      return [
        { event: 'Stop', group: { hooks: [handler(SECONDS_MAX, 1)] } },
        { event: 'PostToolUse', group: { hooks: [handler(SECONDS_MAX, 1)] } },
      ]
    case 'gemini':
      return [
        { event: 'AfterAgent', group: { hooks: [named] } },
        { event: 'AfterTool', group: { matcher: '.*', hooks: [named] } },
      ]
    case 'qwen':
      return [
        { event: 'Stop', group: { hooks: [named] } },
        { event: 'PostToolUse', group: { hooks: [named] } },
        { event: 'PostToolUseFailure', group: { hooks: [named] } },
      ]
  }
}
