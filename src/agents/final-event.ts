import { type Fields, fieldsOf, parseJson, textOf } from '../core/json.ts'

/** How an agent's work ended, according to its own JSON. */
export type FinalEvent = { readonly kind: 'success' } | ({ readonly kind: 'error' } & AgentError)

export interface AgentError {
  readonly message: string
  /** The HTTP status the provider answered with. */
  readonly status?: number
  /** The provider's code: `rate_limit_error`, `insufficient_quota`. */
  readonly code?: string
  /** The event as it was printed: providers put reset times in many places. */
  readonly source: string
}

/**
 * The last event of an agent that prints JSON: Claude Code and Qwen (`result` with `is_error`), Gemini (`result` with `status`),
 * Codex (`turn.failed`), OpenCode (`error`), pi (`message_end`). `undefined` if there is none at the end of the output.
 */
export function finalEvent(text: string): FinalEvent | undefined {
  const lines = text.trimEnd().split('\n')
  // A warning on standard error may come after it.
  for (const line of lines.slice(-LINES_MAX).toReversed()) {
    const event = eventIn(line)
    if (event !== undefined) return event
  }
  // Gemini's `-o json` is one object over many lines.
  const end = lines.lastIndexOf('}')
  const start = lines.lastIndexOf('{', end)
  return start === -1 || end < lines.length - LINES_MAX ? undefined : eventIn(lines.slice(start, end + 1).join('\n'))
}

const LINES_MAX = 5

function eventIn(source: string): FinalEvent | undefined {
  // Most lines aren't JSON.
  const json = /^\s*[[{]/.test(source) ? parseJson(source) : undefined
  return json === undefined ? undefined : finalEventOf(fieldsOf(Array.isArray(json) ? json.at(-1) : json), source)
}

/** The same for one parsed event; `source` is how it was printed. */
export function finalEventOf(event: Fields, source: string): FinalEvent | undefined {
  const read = typeof event['type'] === 'string' ? READERS[event['type']] : geminiJson
  const error = read?.(event)
  if (error === undefined || error === 'success') return error && { kind: 'success' }
  const { message, status, code } = error
  return {
    kind: 'error',
    message: message === '' ? 'It ended with an error that has no message.' : message,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    source,
  }
}

type Reading = Pick<AgentError, 'message'> & { readonly status: number | undefined; readonly code: string | undefined }
type Reader = (event: Fields) => Reading | 'success' | undefined

const READERS: Readonly<Record<string, Reader>> = {
  result: (event) => {
    if (typeof event['is_error'] === 'boolean') {
      const subtype = textOf(event['subtype']) ?? ''
      const said =
        textOf(event['result']) ??
        [event['errors']]
          .flat()
          .filter((each) => typeof each === 'string')
          .join('; ')
      // Qwen Code's message is one level deeper; a limit of turns or money has none.
      const message = said === '' ? (fieldsOf(event['error'])['message'] ?? subtype.replaceAll('_', ' ')) : said
      return event['is_error'] || subtype.startsWith('error_') ? errorOf({ ...event, message }) : 'success'
    }
    if (event['status'] === 'error') return errorOf(fieldsOf(event['error']))
    return event['status'] === 'success' ? 'success' : undefined
  },
  'turn.failed': (event) => errorOf(fieldsOf(event['error'])),
  'turn.completed': () => 'success',
  error: (event) => {
    const error = fieldsOf(event['error'])
    return errorOf({ ...event, ...error, ...fieldsOf(error['data']) })
  },
  message_end: assistantMessage,
  turn_end: assistantMessage,
}

function assistantMessage(event: Fields): ReturnType<Reader> {
  const message = fieldsOf(event['message'])
  if (message['role'] !== 'assistant' || typeof message['stopReason'] !== 'string') return undefined
  return message['stopReason'] === 'error' ? errorOf({ message: message['errorMessage'] }) : 'success'
}

/** Any program may print an object with an error; Gemini's also has a session or statistics. */
function geminiJson(event: Fields): ReturnType<Reader> {
  if (!('session_id' in event || 'stats' in event)) return undefined
  if (typeof event['error'] === 'object' && event['error'] !== null) return errorOf(fieldsOf(event['error']))
  return typeof event['response'] === 'string' ? 'success' : undefined
}

function errorOf(error: Fields): Reading {
  const numbers = ['api_error_status', 'statusCode', 'status_code', 'status', 'code'].map((name) => Number(error[name] ?? NaN))
  const codes = ['api_error', 'code', 'type', 'name', 'subtype'].map((name) => textOf(error[name]))
  const message = textOf(error['message']) ?? ''
  const inMessage = Number(API_ERROR.exec(message)?.[1] ?? NaN)
  return {
    message,
    status: [...numbers, inMessage].find((each) => each >= 400 && each < 600),
    code: codes.find((each) => each !== undefined && each !== 'error' && each !== 'result'),
  }
}

/** Some agents pass a provider's answer on as text: `[API Error: 401 …]`, `[API Error: {"error":{"code":401,…`. */
const API_ERROR = /^\[?API Error: (?:\{"error":\{"code":)?(\d{3})\b/
