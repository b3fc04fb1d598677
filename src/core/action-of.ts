import type { Action } from './action.ts'
import { textHash } from './text-hash.ts'
import { shortened } from './wording.ts'

/** A call of a tool as an agent tells of it; without `response` while there is none. */
export interface ToolUse {
  readonly name: string
  readonly input: unknown
  readonly response?: unknown
}

/** A tool call as far as it matters whether it is the same again. */
export function actionOf({ name, input, response }: ToolUse): Action {
  const label = labelOf(input)
  return {
    name: name.slice(0, NAME_LENGTH_MAX),
    input: digest(input),
    ...(response === undefined ? {} : { result: digest(response) }),
    ...(isWaiting(name, input) ? { isWaiting: true } : {}),
    ...(label === '' ? {} : { label }),
  }
}

const NAME_LENGTH_MAX = 100
const LABEL_LENGTH_MAX = 80

/** Equal values have equal digests, in whatever order their fields stand; what differs by the clock alone is left out. */
function digest(value: unknown): string {
  return textHash(JSON.stringify(value, stable) ?? '')
}

function stable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return timeless(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Times, durations, and the ids of processes that Gemini and Codex put into every result. */
function timeless(text: string): string {
  return text
    .replaceAll(/^(?:Process Group PGID|Background PIDs|Chunk ID|Wall time): .*$/gm, '')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?/g, '')
    .replaceAll(/\b\d{1,2}:\d\d:\d\d\b/g, '')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?)\b/g, '')
}

/** Tools that wait for something: to call them again is what they are for. */
function isWaiting(name: string, input: unknown): boolean {
  if (/(?:^|_)(?:wait|sleep|poll|monitor)|^(?:BashOutput|TaskOutput|Monitor|write_stdin|ScheduleWakeup)$/i.test(name)) return true
  return /^\s*sleep\s/.test(commandIn(input))
}

function labelOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  const named = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string')
  return shortened(String(named ?? JSON.stringify(input) ?? ''), LABEL_LENGTH_MAX)
}

function commandIn(input: unknown): string {
  const { command, cmd } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown; cmd?: unknown }
  const words = command ?? cmd
  return typeof words === 'string' ? words : ''
}
