import { environmentNames } from './streams/environment-names.ts'
import { opencodeStream } from './streams/opencode-stream.ts'
import { streamAgent, type StreamAgent, type StreamAgentKind, type StreamAgentOptions } from './streams/stream-agent.ts'

/**
 * An agent of its own for `read`, set for one call and written to no file. OpenCode's `plan` refuses edits only, and runs any command; what
 * the user's settings allow to all agents comes before what stands here. Files with keys stay closed, as they are by default.
 */
const READER = {
  mode: 'primary',
  description: 'Looks and changes nothing.',
  permission: {
    '*': 'deny',
    // By name too: a folder may have settings for an agent of this name.
    edit: 'deny',
    bash: 'deny',
    task: 'deny',
    read: { '*': 'allow', '*.env': 'deny', '*.env.*': 'deny', '*.env.example': 'allow' },
    ...Object.fromEntries(
      ['glob', 'grep', 'list', 'lsp', 'webfetch', 'websearch', 'todoread', 'todowrite'].map((name) => [name, 'allow']),
    ),
  },
}

/** What Pawl knows of OpenCode (seen: 1.18.33). */
export const opencode: StreamAgentKind = {
  name: 'opencode',
  npmPackage: 'opencode-ai',
  environment: environmentNames(
    'OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_API_KEY OPENROUTER_API_KEY ANTHROPIC_API_KEY',
    'OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY',
  ),
  variables: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  readVariables: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ agent: { 'pawl-read': READER } }) },
  reader: opencodeStream,
  // Its own permissions apply: it edits the folder, and what it would ask about is refused.
  arguments: ({ model, permissionMode, session }) => [
    'run',
    '--format',
    'json',
    // It tries again without end and without a word, but for its log.
    '--print-logs',
    '--log-level',
    'ERROR',
    ...{ read: ['--agent', 'pawl-read'], edit: [], full: ['--auto'] }[permissionMode],
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['--session', session]),
  ],
  sessionGone: /Session not found/,
}

/**
 * OpenCode, one unattended session an iteration.
 *
 * @part opencode
 */
export function opencodeAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(opencode, options)
}
