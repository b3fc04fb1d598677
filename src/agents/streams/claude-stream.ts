import type { ToolUse } from '../../core/action.ts'
import type { Usage } from '../../core/event-data.ts'
import { CONNECTION_FAILED } from '../agent-trouble.ts'
import {
  added,
  amountOf,
  answered,
  called,
  ended,
  type Fields,
  fieldsOf,
  gotOn,
  known,
  listOf,
  refused,
  said,
  type StreamReader,
  type StreamReading,
  textOf,
  touched,
} from './stream-reading.ts'

/**
 * Claude Code's `--output-format stream-json`. The last event's `usage` is this work's, without subagents. Its cost and `modelUsage` include
 * them. When a session is resumed, both continue the count (2.1.325) or start again (2.1.197).
 */
export const claudeStream: StreamReader = { event: readClaudeEvent }

/** The events that Qwen Code shares. What the figures mean differs between the two. */
export function readClaudeEvent(reading: StreamReading, event: Fields): StreamReading {
  // A subagent's work is reported as one tool call; what it uses counts.
  if (textOf(event['parent_tool_use_id']) !== undefined) return helperMessage(reading, fieldsOf(event['message']))
  const seen = known(reading, { session: event['session_id'] })
  switch (event['type']) {
    case 'system':
      return systemEvent(seen, event)
    case 'assistant':
      return assistantMessage(seen, fieldsOf(event['message']))
    case 'user':
      return listOf(fieldsOf(event['message'])['content']).reduce(toolResult, seen)
    case 'result':
      return finished(seen, event)
    default:
      return seen
  }
}

function systemEvent(reading: StreamReading, event: Fields): StreamReading {
  if (event['subtype'] === 'init') {
    const version = textOf(event['claude_code_version'])
    return { ...known(reading, { model: event['model'] }), ...(version === undefined ? {} : { version }) }
  }
  if (event['subtype'] !== 'api_retry') return reading
  const status = amountOf(event['error_status'])
  const source = JSON.stringify(event)
  const why = textOf(event['error']) ?? 'unknown'
  if (status !== 0) return refused(reading, { message: `${why} (status ${status})`, status, source })
  // A request without a status got no answer; only the last event says why.
  if (why === 'unknown') return refused(reading, { message: 'no answer', code: CONNECTION_FAILED, source })
  return refused(reading, { message: why, code: why, source })
}

function assistantMessage(reading: StreamReading, message: Fields): StreamReading {
  // It presents refusals as messages of a model that doesn't exist.
  const isReal = message['model'] !== '<synthetic>'
  const id = textOf(message['id'])
  const isNew = isReal && id !== undefined && id !== reading.messageId
  const counted: StreamReading = isNew
    ? { ...reading, messageId: id, used: added(reading.used, tokensOf(fieldsOf(message['usage']))) }
    : reading
  const isBy = isReal ? known(gotOn(counted), { model: message['model'] }) : counted
  return listOf(message['content']).reduce(contentBlock, isBy)
}

/** Messages of several subagents may come mixed, each in several events with the same figures. */
function helperMessage(reading: StreamReading, { id, usage }: Fields): StreamReading {
  const { helperMessages = [], helperTokens = 0 } = reading
  const { tokens } = tokensOf(fieldsOf(usage))
  if (typeof id !== 'string' || tokens === undefined || helperMessages.includes(id)) return reading
  return {
    ...reading,
    messages: reading.messages + 1,
    helperMessages: [...helperMessages, id].slice(-HELPER_MESSAGES_MAX),
    helperTokens: helperTokens + tokens,
  }
}

const HELPER_MESSAGES_MAX = 100

function contentBlock(reading: StreamReading, block: Fields): StreamReading {
  if (block['type'] === 'text') return said(reading, textOf(block['text']) ?? '')
  if (block['type'] !== 'tool_use') return reading
  const [id, name] = [textOf(block['id']), textOf(block['name'])]
  if (id === undefined || name === undefined) return reading
  const after = called(reading, { id, name, input: block['input'] })
  const { file_path: file, notebook_path: notebook } = fieldsOf(block['input'])
  return EDITING.test(name) ? touched(after, file ?? notebook) : after
}

const EDITING = /^(?:Edit|MultiEdit|Write|NotebookEdit|edit|replace|write_file|notebook_edit)$/

function toolResult(reading: StreamReading, block: Fields): StreamReading {
  const id = block['type'] === 'tool_result' ? textOf(block['tool_use_id']) : undefined
  return id === undefined ? reading : answered(reading, id, { content: block['content'], isError: block['is_error'] === true })
}

function finished(reading: StreamReading, event: Fields): StreamReading {
  const tokens = tokensOf(fieldsOf(event['usage']))
  const after = ended({ ...reading, used: tokens.tokens === undefined ? reading.used : tokens }, event)
  return { ...after, ...claudeUsage(reading, event), denied: deniedCalls(event) }
}

/** All tokens of the model, cached ones included. */
function tokensOf(usage: Fields): Usage {
  const names = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens']
  if (!names.some((name) => typeof usage[name] === 'number')) return {}
  return { tokens: names.reduce((sum, name) => sum + amountOf(usage[name]), 0) }
}

/**
 * The usage in Claude Code's last event, subagents included. Newer versions report the usage since the last report beside the session's
 * total; the oldest report this call's alone. Versions between report only the session's total, so its size has to tell them apart.
 */
function claudeUsage({ version, workUsed }: StreamReading, event: Fields): Pick<StreamReading, 'sessionUsed' | 'workUsed'> {
  const cost = event['total_cost_usd']
  if (typeof cost !== 'number') return {}
  const sessionUsed = { costUsd: amountOf(cost), ...tokensOfModels(modelsIn(event['modelUsage'])) }
  const since = event['model_usage_since_last_result']
  if (since !== undefined) return { sessionUsed, workUsed: withAll(workUsed, modelsIn(since)) }
  return version !== undefined && isBefore(version, FIRST_TO_ADD_UP) ? { sessionUsed, workUsed: sessionUsed } : { sessionUsed }
}

/** From this version on, a continued session's total includes earlier work. */
const FIRST_TO_ADD_UP = [2, 1, 277]

function modelsIn(models: unknown): readonly Fields[] {
  return Object.values(fieldsOf(models)).map(fieldsOf)
}

function tokensOfModels(models: readonly Fields[]): Pick<Usage, 'tokens'> {
  const names = ['inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens', 'outputTokens']
  const counts = models.flatMap((model) => names.map((name) => amountOf(model[name])))
  return counts.length === 0 ? {} : { tokens: counts.reduce((sum, count) => sum + count, 0) }
}

/** It may end more than once: work in the background starts another turn. */
function withAll({ costUsd = 0, tokens = 0 }: Usage = {}, models: readonly Fields[]): Usage {
  const cost = models.reduce((sum, model) => sum + amountOf(model['costUSD']), costUsd)
  return { costUsd: cost, tokens: tokens + (tokensOfModels(models).tokens ?? 0) }
}

function isBefore(version: string, bound: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  const index = bound.findIndex((part, place) => parts[place] !== part)
  return index !== -1 && (parts[index] ?? 0) < (bound[index] as number)
}

/** The first few calls that the last event reports as denied. */
function deniedCalls({ permission_denials: denials }: Fields): readonly ToolUse[] {
  return listOf(denials)
    .slice(0, DENIED_KEPT_MAX)
    .map(({ tool_name: name, tool_input: input }) => ({ name: textOf(name) ?? 'a tool', input: fieldsOf(input) }))
}

const DENIED_KEPT_MAX = 50
