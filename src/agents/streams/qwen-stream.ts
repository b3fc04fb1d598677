import { readClaudeEvent } from './claude-stream.ts'
import { amountOf, fieldsOf, listOf, textOf, type Fields, type StreamReader, type StreamReading } from './stream-reading.ts'
import { refused } from './stream-steps.ts'

/**
 * Qwen Code's `-o stream-json`: Claude Code's events, but its last one counts the tokens of the whole session, what was cached
 * among the input, and it knows no cost.
 */
export const qwenStream: StreamReader = {
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
    if (event['type'] === 'result')
      return withSessionTokens(reading, lastEvent(reading, event), fieldsOf(event['usage'])['total_tokens'])
    const after = readClaudeEvent(reading, event)
    if (after.messageId === reading.messageId) return after
    const usage = fieldsOf(fieldsOf(event['message'])['usage'])
    return { ...after, used: { tokens: (reading.used.tokens ?? 0) + amountOf(usage['total_tokens']) } }
  },
}

/** It puts what its provider refused into the model's mouth: words in this form that took no tokens are none of the model's. */
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

/** Until its last event, the single messages tell what was used. */
function withSessionTokens(before: StreamReading, after: StreamReading, total: unknown): StreamReading {
  const told = { ...after, used: before.used }
  return typeof total === 'number' ? { ...told, sessionUsed: { tokens: amountOf(total) } } : told
}
