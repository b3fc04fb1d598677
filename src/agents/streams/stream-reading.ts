import { type Action, actionOf, ACTIONS_KEPT_MAX, type ToolUse, uncutActionOf } from '../../core/action.ts'
import { FILES_KEPT_MAX, type Usage } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'
import { growingEnd } from '../../process/last-lines.ts'
import { type AgentError, type FinalEvent, finalEventOf } from '../final-event.ts'
import { costAt, type Prices, type TokenKinds } from '../agent-settings.ts'
import { StringDecoder } from 'node:string_decoder'
import type { WorkReport } from '../../process/effect-context.ts'
import { cleanText } from '../../process/output.ts'

/** What an agent's events have said so far. Its size is bounded, however long the stream is. */
export interface StreamReading {
  /** How many events were understood. */
  readonly events: number
  /** How many messages and tool calls there were. */
  readonly messages: number
  readonly session?: string
  readonly model?: string
  /** The program's version, if it says so. */
  readonly version?: string
  /** What the agent is doing now, in one line for people. */
  readonly now?: string
  /** What it said, message by message; only the end of a long text. */
  readonly words: string
  /** Its last message; `isOpen` while more of it may come. */
  readonly message: string
  readonly isMessageOpen: boolean
  /** Tool calls without an answer yet. */
  readonly calls: readonly OpenCall[]
  /** Answered calls with uncut labels, the newest last, and how many came before. */
  readonly actions: readonly Action[]
  readonly actionsCut: number
  /** Calls that the agent's own rules denied it. */
  readonly denied?: readonly ToolUse[]
  /** Files it says it edited. */
  readonly files: readonly string[]
  /** What this work used. */
  readonly used: Usage
  /** The tokens of `sessionUsed`, else of `used`, by kind, for agents that report no cost. */
  readonly tokenKinds?: TokenKinds
  /** Set if the cost is those tokens at given prices. */
  readonly isCostEstimated?: true
  /** What the whole session used, if the agent counts that: this work is the difference to the previous total. */
  readonly sessionUsed?: Usage
  /** Set if that is always the whole session's: the agent never starts counting again. */
  readonly isSessionSum?: true
  /** What this work used including its helpers, if the agent reports it: then it is clear what `sessionUsed` covers. */
  readonly workUsed?: Usage
  /** How it ended, according to the agent itself. */
  readonly ending?: FinalEvent
  /** The provider's last refusal, while the agent retries. */
  readonly refusal?: AgentError
  /** Remembered between two events of one message. */
  readonly messageId?: string
  /** The tokens of subagents until now, for an agent that reports their messages; its last event has them in `workUsed` or `sessionUsed`. */
  readonly helperTokens?: number
  /** Ids of their last messages. */
  readonly helperMessages?: readonly string[]
}

/** A tool that was called. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** Reads one agent's stream. Both functions are pure: unknown lines change nothing. */
export interface StreamReader {
  /** One line of JSON. */
  readonly event: (reading: StreamReading, event: Fields) => StreamReading
  /** A line that isn't JSON. Default: ignored. */
  readonly text?: (reading: StreamReading, line: string) => StreamReading
  /** Other lines that say nothing about the work: they are never shown. */
  readonly noise?: RegExp
}

export type Fields = Readonly<Record<string, unknown>>

/** Nothing has been read. */
export const initialReading: StreamReading = {
  events: 0,
  messages: 0,
  words: '',
  message: '',
  isMessageOpen: false,
  calls: [],
  actions: [],
  actionsCut: 0,
  files: [],
  used: {},
}

/** The object in a line of JSON; `undefined` for any other line. Ignores what a program printed before it on the same line. */
export function eventIn(line: string): Fields | undefined {
  const start = line.startsWith('{') ? 0 : line.indexOf('{"')
  if (start === -1) return undefined
  try {
    const json: unknown = JSON.parse(start === 0 ? line : line.slice(start))
    return isFields(json) && (start === 0 || typeof json['type'] === 'string') ? json : undefined
  } catch {
    // The caller counts lines that look like an event but aren't.
    return undefined
  }
}

/** The same reader with a cost at these prices if the agent reports none. */
export function pricedReader(reader: StreamReader, prices: Prices | undefined): StreamReader {
  if (!prices) return reader
  return {
    ...reader,
    event: (before, event) => {
      const reading = reader.event(before, event)
      const { tokenKinds, sessionUsed, used } = reading
      if (tokenKinds === undefined || tokenKinds === before.tokenKinds) return reading
      const costUsd = costAt(prices, tokenKinds)
      const cost = sessionUsed ? { sessionUsed: { ...sessionUsed, costUsd } } : { used: { ...used, costUsd } }
      return { ...reading, ...cost, isCostEstimated: true }
    },
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

/** A value as an object; empty if it isn't one. */
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

/** The agent says something; a piece of a message (`isOpen`) is appended to its earlier pieces. */
export function said(reading: StreamReading, text: string, { isOpen = false } = {}): StreamReading {
  if (text === '') return reading
  const rest = gotOn(reading)
  const isMore = reading.isMessageOpen && isOpen
  const message = growingEnd(isMore ? reading.message + text : text, WORDS_LENGTH_MAX)
  const words = growingEnd(`${reading.words}${isMore || reading.words === '' ? '' : '\n\n'}${text}`, WORDS_LENGTH_MAX)
  const now = message
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim()
  const messages = isMore ? reading.messages : reading.messages + 1
  return {
    ...rest,
    messages,
    words,
    message,
    isMessageOpen: isOpen,
    ...(now === undefined ? {} : { now: shortened(now, NOW_LENGTH_MAX) }),
  }
}

/** The agent calls a tool. */
export function called(reading: StreamReading, call: OpenCall): StreamReading {
  const rest = gotOn(reading)
  const { label } = actionOf(call)
  const isKnown = reading.calls.some(({ id }) => id === call.id)
  return {
    ...rest,
    messages: isKnown ? reading.messages : reading.messages + 1,
    isMessageOpen: false,
    calls: [...reading.calls.filter(({ id }) => id !== call.id), call].slice(-CALLS_MAX),
    now: shortened(label === undefined ? call.name : `${call.name} ${label}`, NOW_LENGTH_MAX),
  }
}

/** A tool answered. Answers without a call are ignored. */
export function answered(reading: StreamReading, id: string, response: unknown): StreamReading {
  const call = reading.calls.find((each) => each.id === id)
  if (!call) return reading
  const actions = [...reading.actions, uncutActionOf({ ...call, response })]
  return {
    ...reading,
    calls: reading.calls.filter((each) => each !== call),
    actions: actions.slice(-ACTIONS_KEPT_MAX),
    actionsCut: reading.actionsCut + Math.max(0, actions.length - ACTIONS_KEPT_MAX),
  }
}

/** The agent edits a file, as it says. */
export function touched(reading: StreamReading, path: unknown): StreamReading {
  if (typeof path !== 'string' || path === '' || reading.files.includes(path)) return reading
  return reading.files.length < FILES_KEPT_MAX ? { ...reading, files: [...reading.files, path] } : reading
}

/** The agent's last event: how it ended. */
export function ended(reading: StreamReading, event: Fields): StreamReading {
  const ending = finalEventOf(event, JSON.stringify(event))
  return ending === undefined ? reading : { ...reading, ending }
}

/** The provider refused, and the agent retries. */
export function refused(reading: StreamReading, refusal: AgentError): StreamReading {
  return { ...reading, refusal, now: shortened(`waits for its provider: ${refusal.message}`, NOW_LENGTH_MAX) }
}

/** The provider answered again: the refusal is over. */
export function gotOn({ refusal: _over, ...rest }: StreamReading): StreamReading {
  return rest
}

/** The session and the model, if they are new. */
export function known(
  reading: StreamReading,
  { session, model }: { readonly session?: unknown; readonly model?: unknown },
): StreamReading {
  if (isSame(session, reading.session) && isSame(model, reading.model)) return reading
  return {
    ...reading,
    ...(isSame(session, reading.session) ? {} : { session: session as string }),
    ...(isSame(model, reading.model) ? {} : { model: model as string }),
  }
}

function isSame(value: unknown, before: string | undefined): boolean {
  return typeof value !== 'string' || value === '' || value === before
}

/** The sum of two amounts; what neither knows stays unknown. */
export function added(one: Usage, other: Usage): Usage {
  const costUsd = one.costUsd === undefined && other.costUsd === undefined ? undefined : (one.costUsd ?? 0) + (other.costUsd ?? 0)
  const tokens = one.tokens === undefined && other.tokens === undefined ? undefined : (one.tokens ?? 0) + (other.tokens ?? 0)
  return { ...(costUsd === undefined ? {} : { costUsd }), ...(tokens === undefined ? {} : { tokens }) }
}

const NOW_LENGTH_MAX = 160
const CALLS_MAX = 50
const WORDS_LENGTH_MAX = 64 * 1024

/** What the agent did until now. Before its last event, a session's total isn't known, so this work's own figures count. */
export function workReport({ used, helperTokens = 0, messages, actions, actionsCut, words }: StreamReading): WorkReport {
  return { used: helperTokens === 0 ? used : added(used, { tokens: helperTokens }), messages, actions, actionsCut, words }
}

/** Reads an agent's stream as it comes, and reports what the agent is doing, at most five times a second. */
export class LiveReading {
  readonly #reader: StreamReader
  readonly #lines = new LineSplitter((line) => this.#read(line))
  readonly #reporter: LatestReporter
  #reading = initialReading
  #broken = 0

  constructor(reader: StreamReader, progress: (line: string) => void) {
    this.#reader = reader
    this.#reporter = new LatestReporter((line) => progress(cleanText(line)))
  }

  push(bytes: Buffer): void {
    this.#lines.push(bytes)
  }

  /** The complete reading. Don't push afterwards. */
  end(): StreamReading {
    this.#lines.end()
    this.#reporter.end()
    return this.#reading
  }

  /** What it did until now; `undefined` once it said how it ended. */
  get report(): WorkReport | undefined {
    return this.#reading.ending ? undefined : workReport(this.#reading)
  }

  /** Whether its provider is refusing and it retries. */
  get isRefused(): boolean {
    return this.#reading.refusal !== undefined && this.#reading.ending === undefined
  }

  /** A sentence for each kind of line that could not be read. */
  get remarks(): readonly string[] {
    return [
      ...(this.#broken === 0 ? [] : [`${lines(this.#broken)} no whole JSON and not read.`]),
      ...(this.#lines.tooLong === 0 ? [] : [`${lines(this.#lines.tooLong)} too long and not read.`]),
    ]
  }

  #read(line: string): void {
    const before = this.#reading.now
    const event = eventIn(line)
    if (event) this.#reading = this.#reader.event({ ...this.#reading, events: this.#reading.events + 1 }, event)
    else if (line.startsWith('{"')) this.#broken++
    else this.#readText(line)
    const { now } = this.#reading
    if (now !== undefined && now !== before) this.#reporter.tell(now)
  }

  /** A line that isn't an event is a warning, or the reason why there are none. */
  #readText(line: string): void {
    if (this.#reader.noise?.test(line)) return
    const before = this.#reading
    this.#reading = this.#reader.text?.(before, line) ?? before
    // A line that the reader understood is reported as what the agent is doing.
    if (this.#reading === before && line.length < 1000 && !line.startsWith(' ')) this.#reporter.tell(line)
  }
}

function lines(count: number): string {
  return count === 1 ? 'A line of its output was' : `${count} lines of its output were`
}

/** Splits a byte stream into lines in bounded memory: lines that are too long are skipped and counted. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #lengthMax: number
  // A piece may end in the middle of a character. Decodes whole pieces: line by line takes ten times as long.
  readonly #decoder = new StringDecoder('utf8')
  #begun = ''
  #isPassedOver = false
  #tooLong = 0

  constructor(onLine: (line: string) => void, lengthMax = LINE_LENGTH_MAX) {
    this.#onLine = onLine
    this.#lengthMax = lengthMax
  }

  /** How many lines were too long. */
  get tooLong(): number {
    return this.#tooLong
  }

  push(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes))
  }

  /** The rest counts as a line, even without a line end. Don't push afterwards. */
  end(): void {
    this.#add(this.#decoder.end())
    this.#endLine('')
  }

  #add(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#endLine(text.slice(start, end))
      start = end + 1
    }
    if (start < text.length) this.#begin(text.slice(start))
  }

  #begin(piece: string): void {
    this.#isPassedOver ||= this.#begun.length + piece.length > this.#lengthMax
    this.#begun = this.#isPassedOver ? '' : this.#begun + piece
  }

  #endLine(piece: string): void {
    this.#begin(piece)
    const line = this.#begun.endsWith('\r') ? this.#begun.slice(0, -1) : this.#begun
    if (this.#isPassedOver) this.#tooLong++
    else if (line !== '') this.#onLine(line)
    this.#begun = ''
    this.#isPassedOver = false
  }
}

/** Tools answer with whole files and pictures; longer lines contain nothing that Pawl uses. */
const LINE_LENGTH_MAX = 4 * 1024 * 1024

/** Reports the newest of many lines: the first one at once, then at most one every 200 ms, the last one at `end`. */
class LatestReporter {
  readonly #report: (line: string) => void
  #latest: string | undefined
  #reported: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(report: (line: string) => void) {
    this.#report = report
  }

  tell(line: string): void {
    this.#latest = line
    if (this.#timer === undefined) this.#reportNow()
  }

  end(): void {
    this.#reportNow()
    clearTimeout(this.#timer)
  }

  #reportNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#latest === undefined || this.#latest === this.#reported) return
    this.#reported = this.#latest
    this.#report(this.#latest)
    this.#timer = setTimeout(() => this.#reportNow(), INTERVAL_MS)
  }
}

const INTERVAL_MS = 200
