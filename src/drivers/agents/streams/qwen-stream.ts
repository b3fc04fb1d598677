import { readClaudeEvent } from './claude-stream.ts'
import { amountOf, fieldsOf, textOf, type StreamReader, type StreamReading } from './stream-reading.ts'

/**
 * Qwen Code's `-o stream-json`: Claude Code's events, but its last one counts the tokens of the whole session, what was cached
 * among the input, and it knows no cost.
 */
export const qwenStream: StreamReader = {
  event: (reading, event) => {
    const isHelper = textOf(event['parent_tool_use_id']) !== undefined
    const after = readClaudeEvent(reading, event)
    if (isHelper) return after
    if (event['type'] === 'result') return withSessionTokens(reading, after, fieldsOf(event['usage'])['total_tokens'])
    if (after.messageId === reading.messageId) return after
    const usage = fieldsOf(fieldsOf(event['message'])['usage'])
    return { ...after, used: { tokens: (reading.used.tokens ?? 0) + amountOf(usage['total_tokens']) } }
  },
}

/** Until its last event, the single messages tell what was used. */
function withSessionTokens(before: StreamReading, after: StreamReading, total: unknown): StreamReading {
  const told = { ...after, used: before.used }
  return typeof total === 'number' ? { ...told, sessionUsed: { tokens: amountOf(total) } } : told
}
