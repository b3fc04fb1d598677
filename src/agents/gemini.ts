import { environmentNames } from './streams/environment-names.ts'
import { geminiStream } from './streams/gemini-stream.ts'
import { streamAgent, type StreamAgent, type StreamAgentKind, type StreamAgentOptions } from './streams/stream-agent.ts'

/** What Pawl knows of Gemini CLI (seen: 0.61.0). */
export const gemini: StreamAgentKind = {
  name: 'gemini',
  npmPackage: '@google/gemini-cli',
  environment: environmentNames(
    'GEMINI_API_KEY GEMINI_MODEL GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS GEMINI_CLI_NO_RELAUNCH',
  ),
  reader: geminiStream,
  // In a folder it does not trust it falls back to asking, which nobody answers here.
  arguments: ({ model, permissionMode, session }) => [
    '-o',
    'stream-json',
    '--skip-trust',
    '--approval-mode',
    { read: 'plan', edit: 'auto_edit', full: 'yolo' }[permissionMode],
    ...(model === undefined ? [] : ['-m', model]),
    ...(session === undefined ? [] : ['--resume', session]),
  ],
  sessionGone: /Error resuming session:.*(?:No previous sessions found|Invalid session identifier)/,
}

/**
 * Google's Gemini CLI, one unattended session an iteration.
 *
 * @part gemini
 */
export function geminiAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(gemini, options)
}
