import { codexModel } from './codex-model.ts'
import { codexStream } from './streams/codex-stream.ts'
import { environmentNames } from './streams/environment-names.ts'
import { streamAgent, type StreamAgent, type StreamAgentKind, type StreamAgentOptions } from './streams/stream-agent.ts'

/** What Pawl knows of Codex (seen: 0.166.0). */
export const codex: StreamAgentKind = {
  name: 'codex',
  npmPackage: '@openai/codex',
  environment: environmentNames('OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME'),
  reader: codexStream,
  modelOf: codexModel,
  // Its sandbox lets it write in the folder only. It refuses folders without git; Pawl keeps every state of the folder itself.
  arguments: ({ model, permissionMode, session }) => [
    'exec',
    ...(permissionMode === 'full'
      ? ['--dangerously-bypass-approvals-and-sandbox']
      : ['--sandbox', permissionMode === 'read' ? 'read-only' : 'workspace-write']),
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...(session === undefined ? [] : [session]),
    '-',
  ],
  sessionGone: /no rollout found for thread id/,
}

/**
 * OpenAI's Codex, one unattended session an iteration.
 *
 * @part codex
 */
export function codexAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(codex, options)
}
