import type { Action } from '../../core/action.ts'
import type { ToolUse } from '../../core/action-of.ts'
import type { Usage } from '../../core/event-data.ts'
import type { AgentError, FinalEvent } from '../final-event.ts'

/** What an agent's stream of events has told so far. It stays bounded in size however long the stream is. */
export interface StreamReading {
  /** How many events were understood. */
  readonly events: number
  readonly session?: string
  readonly model?: string
  /** Of the program, where it says so. */
  readonly version?: string
  /** What the agent does now, in one line for people. */
  readonly now?: string
  /** What it said, message by message; the end of it where it is long. */
  readonly words: string
  /** Its last message; `isOpen` while more of it may come. */
  readonly message: string
  readonly isMessageOpen: boolean
  /** Tools that were called and have not answered. */
  readonly calls: readonly OpenCall[]
  /** Calls that were answered, with their labels uncut, the newest last, and how many came before those. */
  readonly actions: readonly Action[]
  readonly actionsCut: number
  /** Calls that the agent's own rules denied it. */
  readonly denied?: readonly ToolUse[]
  /** Files it says it edited. */
  readonly files: readonly string[]
  /** What this work used. */
  readonly used: Usage
  /** What the whole session used, where the agent counts so: the difference to what was known before is this work's. */
  readonly sessionUsed?: Usage
  /** Set where that is of the whole session whatever its size: the agent never counts anew. */
  readonly isSessionSum?: true
  /** What this work used with all of its helpers, where the agent tells it: so it is known what `sessionUsed` is the sum of. */
  readonly workUsed?: Usage
  /** How the agent itself says that it ended. */
  readonly ending?: FinalEvent
  /** What the provider refused last, while the agent tries again. */
  readonly refusal?: AgentError
  /** What the reader has to remember between two events of one message. */
  readonly messageId?: string
}

/** A tool that was called. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** Reads one agent's stream. Both are pure: what is not understood changes nothing. */
export interface StreamReader {
  /** One line of JSON. */
  readonly event: (reading: StreamReading, event: Fields) => StreamReading
  /** A line that is no JSON. Default: it says nothing. */
  readonly text?: (reading: StreamReading, line: string) => StreamReading
  /** Lines that the program prints besides and that say nothing of the work: they are not told, and are not its last words. */
  readonly noise?: RegExp
}

export type Fields = Readonly<Record<string, unknown>>

/** Nothing has been read. */
export const initialReading: StreamReading = {
  events: 0,
  words: '',
  message: '',
  isMessageOpen: false,
  calls: [],
  actions: [],
  actionsCut: 0,
  files: [],
  used: {},
}

/** The object that a line of JSON is; `undefined` for any other line. What a program printed before it on the same line is passed over. */
export function eventIn(line: string): Fields | undefined {
  const start = line.startsWith('{') ? 0 : line.indexOf('{"')
  if (start === -1) return undefined
  try {
    const json: unknown = JSON.parse(start === 0 ? line : line.slice(start))
    return isFields(json) && (start === 0 || typeof json['type'] === 'string') ? json : undefined
  } catch {
    // Whoever reads the stream counts what looks like an event and is none.
    return undefined
  }
}

/** Reads a line of any kind. */
export function readLine(reader: StreamReader, reading: StreamReading, line: string): StreamReading {
  const event = eventIn(line)
  if (event) return reader.event({ ...reading, events: reading.events + 1 }, event)
  return reader.noise?.test(line) ? reading : (reader.text?.(reading, line) ?? reading)
}

/** Reads a whole stream: a recorded one, or a transcript in the same form. */
export function readStream(reader: StreamReader, text: string): StreamReading {
  return text.split('\n').reduce((reading, line) => readLine(reader, reading, line), initialReading)
}

/** Whether the agent said or did anything. */
export function hasBegun({ words, actions, calls }: StreamReading): boolean {
  return words !== '' || actions.length + calls.length > 0
}

/** A value as an object; an empty one where it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** A value as a list of objects. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A finite number from 0, else 0. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
