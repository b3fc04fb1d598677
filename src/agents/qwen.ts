import { join } from 'node:path'
import { environmentNames } from './streams/environment-names.ts'
import { qwenStream } from './streams/qwen-stream.ts'
import { streamAgent, type StreamAgent, type StreamAgentKind, type StreamAgentOptions } from './streams/stream-agent.ts'

/** What Pawl knows of Qwen Code (seen: 0.15.10, 0.24.4). */
export const qwen: StreamAgentKind = {
  name: 'qwen',
  npmPackage: '@qwen-code/qwen-code',
  environment: environmentNames('OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL DASHSCOPE_API_KEY'),
  refusedMsMax: 60_000,
  settingsFile: {
    variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
    // Of itself it tries again for three quarters of an hour without a word. This way it asks seven times, and then says why.
    settings: { model: { generationConfig: { maxRetries: 0 } } },
    machinesOwn: join(
      process.platform === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code',
      'system-defaults.json',
    ),
  },
  reader: qwenStream,
  arguments: ({ model, permissionMode, session }) => [
    '-o',
    'stream-json',
    '--approval-mode',
    { read: 'plan', edit: 'auto-edit', full: 'yolo' }[permissionMode],
    ...(model === undefined ? [] : ['-m', model]),
    ...(session === undefined ? [] : ['--resume', session]),
  ],
  sessionGone: /No saved session found with ID/,
}

/**
 * Alibaba's Qwen Code, one unattended session an iteration.
 *
 * @part qwen
 */
export function qwenAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(qwen, options)
}
