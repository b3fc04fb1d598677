import { environmentNames } from './streams/environment-names.ts'
import { opencodeStream } from './streams/opencode-stream.ts'
import { streamAgent, type StreamAgent, type StreamAgentKind, type StreamAgentOptions } from './streams/stream-agent.ts'

/** What Pawl knows of OpenCode (seen: 1.18.33). */
export const opencode: StreamAgentKind = {
  name: 'opencode',
  npmPackage: 'opencode-ai',
  environment: environmentNames(
    'OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_API_KEY OPENROUTER_API_KEY ANTHROPIC_API_KEY',
    'OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY',
  ),
  variables: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
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
    ...{ read: ['--agent', 'plan'], edit: [], full: ['--auto'] }[permissionMode],
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['--session', session]),
  ],
  sessionGone: /Session not found/,
}

/** OpenCode, one unattended session an iteration. */
export function opencodeAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(opencode, options)
}
