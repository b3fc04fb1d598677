import { join } from 'node:path'
import { readClaudeEvent } from './streams/claude-stream.ts'
import {
  commandRules,
  environmentNames,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'
import {
  amountOf,
  type Fields,
  fieldsOf,
  listOf,
  refused,
  type StreamReader,
  type StreamReading,
  textOf,
} from './streams/stream-reading.ts'

/**
 * Qwen Code's `-o stream-json`: Claude Code's events, but its last one counts the tokens of the whole session, what was cached
 * among the input, and it knows no cost.
 */
const qwenStream: StreamReader = {
  noise: /^Ripgrep not available: /,
  text: (reading, line) => {
    const [, seconds] = /^\[qwen-code\] Waiting for API capacity\.\.\. attempt \d+, retry in (\d+)s$/.exec(line) ?? []
    if (seconds === undefined) return reading
    return refused(reading, { message: `no capacity, retry in ${seconds}s`, status: 429, source: line })
  },
  event: (reading, event) => {
    const isHelper = textOf(event['parent_tool_use_id']) !== undefined
    if (isHelper) return readClaudeEvent(reading, event)
    const refusal = refusalIn(event)
    if (refusal !== undefined) return refused(reading, { message: refusal, source: refusal })
    if (event['type'] === 'result') return withSessionTokens(reading, lastEvent(reading, event), fieldsOf(event['usage']))
    const after = readClaudeEvent(reading, event)
    if (after.messageId === reading.messageId) return after
    const usage = fieldsOf(fieldsOf(event['message'])['usage'])
    return { ...after, used: { tokens: (reading.used.tokens ?? 0) + amountOf(usage['total_tokens']) } }
  },
}

/** It puts what its provider refused into the model's mouth: words in this form that took no tokens aren't the model's. */
function refusalIn({ type, message }: Fields): string | undefined {
  if (type !== 'assistant') return undefined
  const { content, usage } = fieldsOf(message)
  const [block, ...more] = listOf(content)
  const text = block?.['type'] === 'text' ? textOf(block['text']) : undefined
  const { input_tokens: input, output_tokens: output } = fieldsOf(usage)
  const isFree = amountOf(input) + amountOf(output) === 0
  return text !== undefined && more.length === 0 && isFree && /^\[API Error: [^]*\]$/.test(text.trim()) ? text.trim() : undefined
}

/** It calls it a success though it never got over what its provider refused (0.15.10; 0.24.4 says that it is an error). */
function lastEvent(reading: StreamReading, event: Fields): StreamReading {
  const isRefused = reading.refusal !== undefined && textOf(event['result'])?.trim() === reading.refusal.message
  return readClaudeEvent(reading, isRefused ? { ...event, is_error: true } : event)
}

/** Until the last event, each message reports its own usage. */
function withSessionTokens(before: StreamReading, after: StreamReading, usage: Fields): StreamReading {
  const told = { ...after, used: before.used }
  const { total_tokens: total, input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = usage
  if (typeof total !== 'number') return told
  const tokenKinds = { input: amountOf(input), cached: amountOf(cached), output: amountOf(output) }
  return { ...told, sessionUsed: { tokens: amountOf(total) }, tokenKinds }
}

/** What Pawl knows of Qwen Code (seen: 0.15.10, 0.24.4). */
export const qwen: StreamAgentKind = {
  name: 'qwen',
  npmPackage: '@qwen-code/qwen-code',
  home: ['.qwen'],
  settings: ['settings.json', '.env', 'extensions', 'commands', 'agents', 'skills'],
  hosts: ['dashscope.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai', 'api.openai.com'],
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
  arguments: ({ model, permissionMode, session, messagesMax, commands }) => [
    '-o',
    'stream-json',
    '--approval-mode',
    { read: 'plan', edit: 'auto-edit', full: 'yolo' }[permissionMode],
    ...(model === undefined ? [] : ['-m', model]),
    ...(messagesMax === undefined ? [] : ['--max-session-turns', String(messagesMax)]),
    ...(session === undefined ? [] : ['--resume', session]),
    ...commandRules('run_shell_command', commands).flatMap((rule) => ['--allowed-tools', rule]),
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
