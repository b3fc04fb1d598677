/** How a well-known coding agent is run unattended, as a command that gets a brief. */
export interface AgentPreset {
  /** What it is, in a few words. */
  readonly title: string
  /** The program on the PATH; absent for the agent that comes with Pawl. */
  readonly program?: string
  /** `{brief}` stands for the brief where it is an argument. */
  readonly arguments: readonly string[]
  readonly briefAs: 'stdin' | 'argument'
  /** Names of the variables it may see, besides the harmless few that every program sees. */
  readonly environment: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  /** Where to get it: `npm install -g PACKAGE`. */
  readonly npmPackage?: string
}

/** What every agent needs to reach its provider and to find its log-in. */
const NETWORK_AND_FILES = [
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME',
]

/**
 * The agents that Pawl knows by name, the first one preferred. Each edits files in its folder without asking, in the mildest mode
 * that does; what that mode refuses (most shell commands) is refused, not asked.
 */
export const AGENT_PRESETS: Readonly<Record<string, AgentPreset>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    arguments: ['-p', '--permission-mode', 'acceptEdits'],
    briefAs: 'stdin',
    environment: names(
      'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL ANTHROPIC_CUSTOM_HEADERS',
      'CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      ...NETWORK_AND_FILES,
    ),
    npmPackage: '@anthropic-ai/claude-code',
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    // Its sandbox lets it write in the folder only. It refuses folders without git; Pawl keeps every state of the folder itself.
    arguments: ['exec', '--sandbox', 'workspace-write', '--skip-git-repo-check', '-'],
    briefAs: 'stdin',
    environment: names('OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME', ...NETWORK_AND_FILES),
    npmPackage: '@openai/codex',
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    // In a folder it does not trust it falls back to asking, which nobody answers here.
    arguments: ['-p', '{brief}', '--approval-mode', 'auto_edit', '--skip-trust'],
    briefAs: 'argument',
    environment: names(
      'GEMINI_API_KEY GEMINI_MODEL GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS',
      ...NETWORK_AND_FILES,
    ),
    npmPackage: '@google/gemini-cli',
  },
  qwen: {
    title: 'Qwen Code',
    program: 'qwen',
    arguments: ['{brief}', '--approval-mode', 'auto-edit'],
    briefAs: 'argument',
    environment: names('OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL DASHSCOPE_API_KEY', ...NETWORK_AND_FILES),
    npmPackage: '@qwen-code/qwen-code',
  },
  opencode: {
    title: 'OpenCode',
    program: 'opencode',
    // Its own permissions apply: it edits the folder, and what it would ask about is refused.
    arguments: ['run', '{brief}'],
    briefAs: 'argument',
    environment: names(
      'OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_API_KEY OPENROUTER_API_KEY ANTHROPIC_API_KEY',
      'OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY',
      ...NETWORK_AND_FILES,
    ),
    variables: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    npmPackage: 'opencode-ai',
  },
  tinker: {
    title: 'tries small edits until the check passes; comes with Pawl, no model',
    arguments: [],
    briefAs: 'stdin',
    environment: ['PAWL_TINKER_TRIES_MAX', 'PAWL_TINKER_SECONDS_MAX', 'PAWL_TINKER_SEED'],
  },
}

/** Every name that `agent` may have: the presets, then the user's own. */
export function agentNames(own: readonly string[] = []): readonly string[] {
  return [...new Set([...Object.keys(AGENT_PRESETS), ...own])]
}

function names(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '))
}
