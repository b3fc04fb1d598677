import { textHash } from './text-hash.ts'
import { shortened } from './wording.ts'

/** One call of a tool by an agent, as far as it matters whether it is the same again. */
export interface Action {
  readonly name: string
  /** Digest of its input; equal inputs have equal digests. */
  readonly input: string
  /** Digest of its result; absent while there is none, and then it equals no other. */
  readonly result?: string
  /** Set for tools that wait for something: to call them again is what they are for. */
  readonly isWaiting?: true
  /** The input in short, for people. */
  readonly label?: string
  /** Stamp of the project's files when its result came, noted for calls that repeat. */
  readonly files?: string
}

/** How many actions one event carries. */
export const ACTIONS_KEPT_MAX = 200

/** A tool call as an agent reports it; without `response` until there is one. */
export interface ToolUse {
  readonly name: string
  readonly input: unknown
  readonly response?: unknown
}

/**
 * A tool call as far as it matters whether it is the same again. Its label is cut short, and half a secret is not known for one any more:
 * the input has to be free of secrets, or else take `uncutActionOf`.
 */
export function actionOf(use: ToolUse): Action {
  return withLabel(uncutActionOf(use), (label) => shortened(label, LABEL_LENGTH_MAX))
}

/** The same with its label as long as it is: to be cut to `LABEL_LENGTH_MAX` once there are no secrets in it. */
export function uncutActionOf({ name, input, response }: ToolUse): Action {
  const label = labelOf(input)
  return {
    name: name.slice(0, NAME_LENGTH_MAX),
    input: digest(input),
    ...(response === undefined ? {} : { result: digest(response) }),
    ...(isWaiting(name, input) ? { isWaiting: true } : {}),
    ...(label === '' ? {} : { label }),
  }
}

/** How long the label of an action is at most. */
export const LABEL_LENGTH_MAX = 80

const NAME_LENGTH_MAX = 100

/** Longer than any secret: what is cut off here begins far behind the end of a label. */
const LABEL_SOURCE_LENGTH_MAX = 32 * 1024

function withLabel({ label, ...rest }: Action, change: (label: string) => string): Action {
  const changed = label === undefined ? '' : change(label)
  return { ...rest, ...(changed === '' ? {} : { label: changed }) }
}

/** Equal values have equal digests, whatever the order of their fields; fields that only the clock changes are left out. */
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
  return SLEEPS.test(commandIn(input))
}

/** A command that sleeps somewhere in its line, as in `cd a && sleep 30 && gh run view 12`, or follows a build. */
const SLEEPS = /(?:^|[;&|('"\n]|\b(?:do|then|else)\b)\s*(?:sleep\s+[\d.$]|gh\s+(?:run\s+watch|pr\s+checks\s[^\n]*--watch)\b)/

function labelOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  const named = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string')
  return String(named ?? JSON.stringify(input) ?? '').slice(0, LABEL_SOURCE_LENGTH_MAX)
}

function commandIn(input: unknown): string {
  const { command, cmd } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown; cmd?: unknown }
  const words = command ?? cmd
  return typeof words === 'string' ? words : ''
}

/**
 * The same call with the same result, and no file changed in between. An action without a result equals no other. If the state of the
 * files is known for only one of them, they differ: one stamp that is missing must not make a repetition of work that gets on.
 */
export function isSameAction(one: Action, other: Action): boolean {
  return isRepeated(one, other) && one.files === other.files
}

/** The same call with the same result, whatever happened to the files. */
export function isRepeated(one: Action, other: Action): boolean {
  return one.result !== undefined && one.result === other.result && one.input === other.input && one.name === other.name
}
