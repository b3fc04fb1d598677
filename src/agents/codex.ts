import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  environmentNames,
  type LackedVariable,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'
import {
  amountOf,
  answered,
  called,
  ended,
  eventIn,
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
} from './streams/stream-reading.ts'

/**
 * Codex's `exec --json`. The tokens of `turn.completed` are the whole thread's, across resumes. It doesn't report its cost. An item of type
 * `error` is often only a warning; `turn.failed` is the end.
 */
const codexStream: StreamReader = {
  // Messages about its own set-up, and lines of its log.
  noise: /^WARNING: proceeding, |^Reading (?:prompt|additional input) from stdin|^\d{4}-\d\d-\d\dT\S+Z +(?:ERROR|WARN|INFO) /,
  event: (reading, event) => {
    switch (event['type']) {
      case 'thread.started':
        return known(reading, { session: event['thread_id'] })
      case 'item.started':
        return itemStarted(reading, fieldsOf(event['item']))
      case 'item.completed':
        return itemCompleted(reading, fieldsOf(event['item']))
      case 'turn.completed':
        return ended(withThreadTokens(reading, fieldsOf(event['usage'])), event)
      case 'turn.failed':
        return ended(reading, event)
      case 'error':
        return reconnecting(reading, textOf(event['message']) ?? '', event)
      default:
        return reading
    }
  },
}

function itemStarted(reading: StreamReading, item: Fields): StreamReading {
  const call = callOf(item)
  return call ? called(reading, call) : reading
}

function itemCompleted(reading: StreamReading, item: Fields): StreamReading {
  if (item['type'] === 'agent_message') return said(reading, textOf(item['text']) ?? '')
  if (item['type'] === 'reasoning') return gotOn(reading)
  const call = callOf(item)
  if (!call) return reading
  const isKnown = reading.calls.some(({ id }) => id === call.id)
  const after = answered(isKnown ? reading : called(reading, call), call.id, resultOf(item))
  return item['type'] === 'file_change' ? listOf(item['changes']).reduce((each, { path }) => touched(each, path), after) : after
}

/** An item as a tool call; `undefined` for words, plans and warnings. */
function callOf(item: Fields): { readonly id: string; readonly name: string; readonly input: unknown } | undefined {
  const id = textOf(item['id'])
  if (id === undefined) return undefined
  switch (item['type']) {
    case 'command_execution':
      return { id, name: 'shell', input: { command: unwrapped(textOf(item['command']) ?? '') } }
    case 'file_change':
      return { id, name: 'apply_patch', input: { changes: item['changes'] } }
    case 'mcp_tool_call':
      return { id, name: `mcp__${String(item['server'])}__${String(item['tool'])}`, input: item['arguments'] }
    case 'web_search':
      return { id, name: 'web_search', input: { query: item['query'] } }
    default:
      return undefined
  }
}

/** `/bin/bash -lc "npm test"` is `npm test` for people. */
function unwrapped(command: string): string {
  const [, quote = '', inner] = /^\S*\/(?:ba|z|da)?sh -l?c (["']?)([^]*)\1$/.exec(command) ?? []
  if (inner === undefined) return command
  return quote === '"' ? inner.replaceAll(/\\(["\\$`])/g, '$1') : inner
}

function resultOf(item: Fields): unknown {
  const { aggregated_output: output, exit_code: exitCode, status, result, error } = item
  return { output, exitCode, status, result, error }
}

/**
 * `Reconnecting... 2/5 (unexpected status 401 Unauthorized: …)`: it retries; the same message without the count is the end. Without a
 * network it says `waiting for network` instead of a count, and retries forever.
 */
function reconnecting(reading: StreamReading, message: string, event: Fields): StreamReading {
  const why = /^Reconnecting\.\.\. (?:\d+\/\d+|waiting for network) \((.*)\)$/s.exec(message)?.[1] ?? message
  const status = /\bstatus (4\d\d|5\d\d)\b/.exec(why)?.[1]
  return refused(reading, {
    message: why,
    ...(status === undefined ? {} : { status: Number(status) }),
    source: JSON.stringify(event),
  })
}

/** Cached input is part of the input, reasoning part of the output. */
function withThreadTokens(reading: StreamReading, usage: Fields): StreamReading {
  const tokens = amountOf(usage['input_tokens']) + amountOf(usage['output_tokens'])
  const tokenKinds = {
    input: amountOf(usage['input_tokens']),
    cached: amountOf(usage['cached_input_tokens']),
    output: amountOf(usage['output_tokens']),
  }
  return { ...reading, sessionUsed: { tokens }, isSessionSum: true, tokenKinds }
}

/**
 * The model that Codex used, from its own record of the session: its events don't report it. `undefined` if the record is missing or
 * doesn't name it.
 */
async function codexModel(thread: string, environment: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { CODEX_HOME: home, HOME: user } = environment
  const folder = home ?? (user === undefined ? undefined : join(user, '.codex'))
  if (folder === undefined) return undefined
  for (const day of daysOf(thread)) {
    const place = join(folder, 'sessions', ...day.split('-'))
    const name = (await readdir(place).catch(() => [])).find((each) => each.endsWith(`-${thread}.jsonl`))
    if (name !== undefined) return modelIn(await startOf(join(place, name)).catch(() => ''))
  }
  return undefined
}

/** A thread's id begins with its start in milliseconds; its folder is named after the day, in Codex's time zone. */
function daysOf(thread: string): readonly string[] {
  const startedAt = /^[\da-f]{8}-[\da-f]{4}-7/.test(thread)
    ? Number.parseInt(thread.replace('-', '').slice(0, 12), 16)
    : Number.NaN
  if (Number.isNaN(startedAt)) return []
  return [0, -1, 1].map((days) => new Date(startedAt + days * DAY_MS).toISOString().slice(0, 10))
}

const DAY_MS = 24 * 3_600_000

/** Every turn begins with a `turn_context`; the last one counts. */
function modelIn(text: string): string | undefined {
  const line = text.split('\n').findLast((each) => each.includes('"type":"turn_context"'))
  const { model } = fieldsOf(fieldsOf(eventIn(line ?? ''))['payload'])
  return typeof model === 'string' && /^[\w.:/@-]{1,100}$/.test(model) ? model : undefined
}

/** Reads only the start of a long session, which is enough. */
async function startOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(BYTES_MAX)
    const { bytesRead } = await file.read(buffer, 0, BYTES_MAX, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

const BYTES_MAX = 2 * 1024 * 1024

/** The variable that holds the key of the provider which `config.toml` names. Only names are read from it. */
async function codexKey(env: Readonly<Record<string, string>>): Promise<LackedVariable | undefined> {
  const { CODEX_HOME: home, HOME: user = '' } = env
  const text = await readFile(join(home ?? join(user, '.codex'), 'config.toml'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { parse } = await import('smol-toml')
  try {
    const config = fieldsOf(parse(text))
    const profile = fieldsOf(fieldsOf(config['profiles'])[textOf(config['profile']) ?? ''])
    const provider = textOf(profile['model_provider']) ?? textOf(config['model_provider']) ?? ''
    const name = textOf(fieldsOf(fieldsOf(config['model_providers'])[provider])['env_key'])
    return name === undefined || env[name] !== undefined
      ? undefined
      : { name, why: `Codex's config.toml takes the key of ${provider} from` }
  } catch {
    // Codex itself says what is wrong with its file.
    return undefined
  }
}

/** What Pawl knows of Codex (seen: 0.166.0). */
export const codex: StreamAgentKind = {
  name: 'codex',
  npmPackage: '@openai/codex',
  home: ['.codex'],
  settings: ['config.toml', 'hooks.json', 'rules', 'prompts'],
  homeVariables: ['CODEX_HOME'],
  hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  environment: environmentNames('OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME'),
  lacks: codexKey,
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
