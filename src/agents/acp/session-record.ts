import { relative } from 'node:path'
import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { type Action, ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { FILES_KEPT_MAX } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'
import { growingEnd } from '../../process/last-lines.ts'
import { BoundedOutput, type Captured, cleanText } from '../../process/output.ts'
import { redactedAction } from '../../secrets/filter.ts'
import type { WorkReport } from '../../process/effect-context.ts'
import type { WorkDetails } from '../agent.ts'
import type { Session } from './hold-talk.ts'

/** A session's reports about its work: words, tools and their results, files, plan and usage. Its size is bounded. */
export class SessionRecord {
  readonly #cwd: string
  readonly #progress: (line: string) => void
  readonly #onReport: ((report: WorkReport) => void) | undefined
  #output = new BoundedOutput(OUTPUT_BYTES_MAX)
  readonly #tools = new Map<string, ToolCallUpdate>()
  readonly #files = new Set<string>()
  #actions: Promise<Action>[] = []
  /** Those that are free of secrets by now. */
  #clean: Action[] = []
  #cleanCut = 0
  #cleaning: Promise<void> = Promise.resolve()
  #messages = 0
  #actionsCut = 0
  #words = ''
  /** The current line of words, and the message or thought that it belongs to. */
  #line = ''
  #speaking = ''
  #isLineOpen = false
  #costUsd: number | undefined
  /** The session, once it is open: its cost is reported however the talk ends. */
  session: Session | undefined
  /** What the session had cost before this work. */
  #costUsdBefore = 0

  constructor(cwd: string, progress: (line: string) => void, onReport?: (report: WorkReport) => void) {
    this.#cwd = cwd
    this.#progress = progress
    this.#onReport = onReport
  }

  /** Reads one update. Ignores kinds that only a newer protocol has. */
  update(update: SessionUpdate): void {
    this.#read(update)
    this.#report()
  }

  /** Earlier work of a session isn't reported again, and what it costs is known only once it is open. */
  #report(): void {
    if (!this.session) return
    const costUsd = this.#costUsd === undefined ? undefined : this.#costUsd - this.#costUsdBefore
    this.#onReport?.({
      used: costUsd === undefined || costUsd < 0 ? {} : { costUsd },
      messages: this.#messages,
      actions: this.#clean,
      actionsCut: this.#cleanCut,
      words: this.#words,
    })
  }

  #read(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return update.content.type === 'text' ? this.#said(update.content.text, `message ${update.messageId ?? ''}`) : undefined
      case 'agent_thought_chunk':
        return update.content.type === 'text'
          ? this.#thought(update.content.text, `thought ${update.messageId ?? ''}`)
          : undefined
      case 'tool_call':
      case 'tool_call_update':
        return this.tool(update)
      case 'plan':
        return this.#planned(update.entries)
      case 'usage_update':
        // The session's cost so far. Its tokens are the size of the context, not the usage.
        if (update.cost?.currency === 'USD') this.#costUsd = update.cost.amount
        return undefined
      case 'notice':
        return this.#tell(update.title)
      default:
        return undefined
    }
  }

  /** A tool call, or an update of one. */
  tool(update: ToolCall | ToolCallUpdate): void {
    const known = this.#tools.get(update.toolCallId)
    const now = { ...known, ...withoutNulls(update) } as ToolCallUpdate
    this.#noteFiles(now)
    this.#begin('tool')
    const isOver = now.status === 'completed' || now.status === 'failed'
    if (!known) this.#messages++
    if (!known || known.title !== now.title) this.#tell(titleOf(now))
    if (!isOver) {
      this.#tools.set(update.toolCallId, now)
      // An agent that never ends its calls must not fill the memory.
      if (this.#tools.size > OPEN_TOOLS_MAX) this.#tools.delete(this.#tools.keys().next().value ?? '')
      return
    }
    this.#tools.delete(update.toolCallId)
    this.#act(now)
    this.#print(`${this.#isLineOpen ? '\n' : ''}[${now.kind ?? 'tool'}] ${titleOf(now)}: ${now.status}\n`)
    this.#words = ''
  }

  /** Everything known about a call so far. */
  known(update: ToolCallUpdate): ToolCallUpdate {
    return { ...this.#tools.get(update.toolCallId), ...withoutNulls(update), toolCallId: update.toolCallId }
  }

  /** A file that Pawl wrote for the agent. */
  wrote(name: string): void {
    if (this.#files.size < FILES_KEPT_MAX) this.#files.add(name)
  }

  /** Output that isn't a message. */
  noise(bytes: Buffer): void {
    this.#output.push(bytes)
  }

  /** Forgets everything: a loaded session repeats its whole history first. */
  forget(): void {
    this.#output = new BoundedOutput(OUTPUT_BYTES_MAX)
    this.#tools.clear()
    this.#files.clear()
    this.#actions = []
    this.#actionsCut = 0
    this.#clean = []
    this.#cleanCut = 0
    this.#messages = 0
    this.#costUsdBefore = this.#costUsd ?? 0
    this.#words = ''
    this.#begin('')
    this.#isLineOpen = false
  }

  /** The session's total cost, if the agent reports it. */
  get costUsd(): number | undefined {
    return this.#costUsd
  }

  /** Its words since its last tool call; they may contain secrets. */
  get lastWords(): string {
    return this.#words.trim()
  }

  get output(): Captured {
    return this.#output.captured()
  }

  /** Details of the work, without how it ended. */
  async details(): Promise<Pick<WorkDetails, 'actions' | 'actionsCut' | 'files'>> {
    return {
      ...(this.#actions.length === 0 ? {} : { actions: await Promise.all(this.#actions) }),
      ...(this.#actionsCut === 0 ? {} : { actionsCut: this.#actionsCut }),
      ...(this.#files.size === 0 ? {} : { files: [...this.#files] }),
    }
  }

  #said(text: string, speaking: string): void {
    const isAnother = this.#begin(speaking)
    if (isAnother) this.#messages++
    if (isAnother && this.#isLineOpen) this.#print('\n')
    this.#print(text)
    const before = isAnother && this.#words !== '' ? `${this.#words}\n` : this.#words
    this.#words = growingEnd(`${before}${text}`, WORDS_LENGTH_MAX)
    this.#tellLine(text)
  }

  #thought(text: string, speaking: string): void {
    this.#begin(speaking)
    this.#tellLine(text)
  }

  /** Whether a new message, thought or tool begins; its words start a new line. */
  #begin(speaking: string): boolean {
    if (speaking === this.#speaking) return false
    this.#speaking = speaking
    this.#line = ''
    return true
  }

  #print(text: string): void {
    this.#output.push(Buffer.from(text))
    this.#isLineOpen = !text.endsWith('\n')
  }

  #planned(entries: readonly { readonly content: string; readonly status: string }[]): void {
    const doneCount = entries.filter(({ status }) => status === 'completed').length
    const now = entries.find(({ status }) => status === 'in_progress') ?? entries.find(({ status }) => status === 'pending')
    if (now) this.#tell(`Plan ${doneCount} of ${entries.length} done: ${now.content}`)
  }

  #act(call: ToolCallUpdate): void {
    const input = call.rawInput ?? { title: call.title, locations: (call.locations ?? []).map(({ path }) => path) }
    const response = call.rawOutput ?? call.content ?? call.status
    const name = call.name ?? call.kind ?? 'tool'
    // The action's label shows a part of the input.
    const action = redactedAction({ name, input, response })
    this.#actions.push(action)
    const before = this.#cleaning
    this.#cleaning = this.#takeClean(action, before, this.session)
    if (this.#actions.length <= ACTIONS_KEPT_MAX) return
    void this.#actions.shift()
    this.#actionsCut++
  }

  async #takeClean(action: Promise<Action>, before: Promise<void>, session: Session | undefined): Promise<void> {
    await before
    const all = [...this.#clean, await action]
    if (session !== this.session) return
    this.#clean = all.slice(-ACTIONS_KEPT_MAX)
    this.#cleanCut += all.length - this.#clean.length
    this.#report()
  }

  #noteFiles({ kind, locations, content }: ToolCallUpdate): void {
    const edited = (content ?? []).flatMap((each) => (each.type === 'diff' ? [each.path] : []))
    const located = kind === 'edit' || kind === 'delete' || kind === 'move' ? (locations ?? []).map(({ path }) => path) : []
    for (const path of [...edited, ...located]) this.wrote(nameIn(this.#cwd, path))
  }

  /** Words come in pieces: reports the line as it is so far. */
  #tellLine(text: string): void {
    const [last = '', before] = `${this.#line}${text}`
      .slice(-LINE_LENGTH_MAX * 4)
      .split('\n')
      .toReversed()
    this.#line = last
    this.#tell(last.trim() === '' ? (before ?? '') : last)
  }

  #tell(line: string): void {
    const short = shortened(cleanText(line), LINE_LENGTH_MAX)
    if (short !== '') this.#progress(short)
  }
}

const OUTPUT_BYTES_MAX = 512 * 1024
const WORDS_LENGTH_MAX = 20_000
const LINE_LENGTH_MAX = 200
const OPEN_TOOLS_MAX = 1000

function titleOf({ title, name, kind }: ToolCallUpdate): string {
  return title ?? name ?? kind ?? 'a tool'
}

/** An update contains only changes; null means unknown. */
function withoutNulls(update: ToolCall | ToolCallUpdate): Partial<ToolCallUpdate> {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null && value !== undefined))
}

function nameIn(cwd: string, path: string): string {
  const name = relative(cwd, path)
  return name.startsWith('..') ? path : name
}
