import { claudeStream } from './streams/claude-stream.ts'
import {
  commandRules,
  environmentNames,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'

/** What Pawl knows of Claude Code (seen: 2.1.197, 2.1.325). */
export const claude: StreamAgentKind = {
  name: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  home: ['.claude', '.claude.json'],
  homeVariables: ['CLAUDE_CONFIG_DIR'],
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
  environment: environmentNames(
    'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL ANTHROPIC_CUSTOM_HEADERS',
    'CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_MAX_RETRIES',
  ),
  reader: claudeStream,
  arguments: ({ model, permissionMode, session, costUsdMax, commands }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-mode',
    { read: 'plan', edit: 'acceptEdits', full: 'bypassPermissions' }[permissionMode],
    ...(model === undefined ? [] : ['--model', model]),
    // Its stream shows tokens and no cost: it alone knows when the money is spent.
    ...(costUsdMax === undefined ? [] : ['--max-budget-usd', moneyFor(costUsdMax)]),
    ...(session === undefined ? [] : ['--resume', session]),
    ...commandRules('Bash', commands).flatMap((rule) => ['--allowedTools', rule]),
  ],
  sessionGone: /No conversation found with session ID/,
}

/** Rounded up, so that the budget is used up when it stops. It counts from the start of this work, also in a resumed session. */
function moneyFor(costUsdMax: number): string {
  return String(Math.max(1, Math.ceil(costUsdMax * 1e6)) / 1e6)
}

/**
 * Anthropic's Claude Code, one unattended session an iteration.
 *
 * @part claude
 */
export function claudeAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(claude, options)
}
