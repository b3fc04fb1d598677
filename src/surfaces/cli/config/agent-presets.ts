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
}

/**
 * The agents that Pawl knows by name, the first one preferred. Those with a program have a driver of the same name, which runs it in the
 * mildest mode that edits files without asking.
 */
export const AGENT_PRESETS: Readonly<Record<string, AgentPreset>> = {
  claude: { title: 'Claude Code', program: 'claude', npmPackage: '@anthropic-ai/claude-code', isPriced: true },
  codex: { title: 'Codex', program: 'codex', npmPackage: '@openai/codex' },
  gemini: { title: 'Gemini CLI', program: 'gemini', npmPackage: '@google/gemini-cli' },
  qwen: { title: 'Qwen Code', program: 'qwen', npmPackage: '@qwen-code/qwen-code' },
  opencode: { title: 'OpenCode', program: 'opencode', npmPackage: 'opencode-ai', isPriced: true },
  tinker: { title: 'tries small edits until the check passes; comes with Pawl, no model' },
}

/** Every name that `agent` may have: the presets, then the user's own. */
export function agentNames(own: readonly string[] = []): readonly string[] {
  return [...new Set([...Object.keys(AGENT_PRESETS), ...own])]
}

/** The presets that have a driver of their own, which can be set in `agents` of pawl.yaml. */
export function driverNames(): readonly string[] {
  return Object.keys(AGENT_PRESETS).filter((name) => AGENT_PRESETS[name]?.program !== undefined)
}
