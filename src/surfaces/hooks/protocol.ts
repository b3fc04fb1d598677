import { isAbsolute } from 'node:path'

/** The agents whose hooks are understood. */
export const AGENT_NAMES = ['claude', 'codex', 'gemini', 'qwen'] as const

export type AgentName = (typeof AGENT_NAMES)[number]

/** Whether it is one of them. */
export function isAgentName(name: string | undefined): name is AgentName {
  return AGENT_NAMES.some((each) => each === name)
}

/** An agent's event, in a form that all agents share. */
export interface HookCall {
  readonly agent: AgentName
  /** The event as the agent names it. */
  readonly event: string
  readonly kind: 'stop' | 'tools' | 'prompt' | 'other'
  readonly session: string
  /** The turn under way, where the agent names it. */
  readonly turn?: string
  readonly cwd: string
  /** What the agent said last; empty when its turn ended with a tool call. */
  readonly words: string
  /** What the person wrote, where the event is that they did; else empty. */
  readonly prompt: string
  readonly tools: readonly ToolCall[]
  /** The agent's own record of the session, where it names one. */
  readonly transcript?: string
  /** Whether the session has something running that will wake it up again. */
  readonly isStillBusy: boolean
}

export interface ToolCall {
  readonly name: string
  readonly input: unknown
  /** Absent while the agent does not tell. */
  readonly response?: unknown
}

/** Reads a hook's standard input; a text says what is wrong with it. Never throws. */
export function readCall(agent: AgentName, text: string, cwd: string): HookCall | string {
  const input = objectIn(text)
  if (!input) return 'the input is not a JSON object'
  const event = input['hook_event_name']
  const session = input['session_id']
  if (typeof event !== 'string') return 'the input has no hook_event_name'
  if (typeof session !== 'string' || session === '' || session.length > SESSION_LENGTH_MAX) return 'the input has no session_id'
  const folder = input['cwd'] ?? cwd
  if (typeof folder !== 'string' || !isAbsolute(folder) || folder.includes('\0')) return 'cwd is not an absolute path'
  return {
    agent,
    event,
    kind: kindOf(agent, event),
    session,
    ...turnIn(input),
    cwd: folder,
    words: wordsIn(input),
    prompt: kindOf(agent, event) === 'prompt' && typeof input['prompt'] === 'string' ? input['prompt'] : '',
    tools: toolsIn(input),
    ...transcriptIn(input),
    isStillBusy: hasBackgroundTask(input),
  }
}

const SESSION_LENGTH_MAX = 500

/** Codex alone names its turns. */
function turnIn({ turn_id: turn }: Fields): { readonly turn?: string } {
  return typeof turn === 'string' && /^[\w.:-]{1,200}$/.test(turn) ? { turn } : {}
}

function transcriptIn({ transcript_path: path }: Fields): { readonly transcript?: string } {
  return typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? { transcript: path } : {}
}

function kindOf(agent: AgentName, event: string): HookCall['kind'] {
  if (event === (agent === 'gemini' ? 'AfterAgent' : 'Stop')) return 'stop'
  if (event === (agent === 'gemini' ? 'BeforeAgent' : 'UserPromptSubmit')) return 'prompt'
  const tools = agent === 'gemini' ? ['AfterTool'] : ['PostToolUse', 'PostToolUseFailure', 'PostToolBatch']
  return tools.includes(event) ? 'tools' : 'other'
}

/** Claude, Codex and Qwen say `last_assistant_message`, Gemini `prompt_response`. */
function wordsIn(input: Fields): string {
  const words = input['last_assistant_message'] ?? messagesApart(input['prompt_response'])
  return typeof words === 'string' ? words.slice(-WORDS_LENGTH_MAX) : ''
}

/**
 * Gemini runs the messages of a turn together and repeats them. A promise that began a line, or came after the end of a sentence, ended its
 * message if nothing follows it but a piece of what was said.
 */
function messagesApart(words: unknown): unknown {
  if (typeof words !== 'string') return words
  const [, before = '', promise, after = ''] = GEMINI_PROMISE.exec(words) ?? []
  return promise !== undefined && plain(before + promise).includes(plain(after)) ? `${before}\n${promise}` : words
}

const GEMINI_PROMISE = /^([\s\S]*(?:^|[\n.!?]))[^\S\n]*(<promise>[^<]{1,500}<\/promise>)((?:(?!<promise>)[\s\S]){0,2000})$/

function plain(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

const WORDS_LENGTH_MAX = 200_000

function toolsIn(input: Fields): readonly ToolCall[] {
  const calls = Array.isArray(input['tool_calls']) ? input['tool_calls'].slice(0, TOOLS_MAX) : [input]
  return calls.flatMap((call) => toolIn(call))
}

const TOOLS_MAX = 200

function toolIn(call: unknown): readonly ToolCall[] {
  if (!isFields(call) || typeof call['tool_name'] !== 'string') return []
  const response = call['tool_response'] ?? call['error']
  return [{ name: call['tool_name'], input: call['tool_input'], ...(response === undefined ? {} : { response }) }]
}

/** Claude stops its turn while tasks run in the background, and continues by itself when they end. */
function hasBackgroundTask(input: Fields): boolean {
  const tasks = input['background_tasks']
  return Array.isArray(tasks) && tasks.some((task) => isFields(task) && task['status'] === 'running')
}

type Fields = Readonly<Record<string, unknown>>

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    // Whatever it is, it is not what an agent sends: said by the caller.
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A hook's answer to its agent. */
export type HookAnswer =
  /** Nothing is in the way; `note` is for the person at the screen. */
  | { readonly kind: 'pass'; readonly note?: string }
  /** Continue working: `reason` is what the agent reads. */
  | { readonly kind: 'block'; readonly reason: string; readonly note: string }
  /** Something the agent should know while it works; `note` is for the person at the screen. */
  | { readonly kind: 'tell'; readonly text: string; readonly note?: string }
  /** End the turn now. */
  | { readonly kind: 'halt'; readonly reason: string }

/** Agents cut longer texts, some of them silently. */
const REASON_LENGTH_MAX = 9500

/** The answer in the agent's own shape: one line of JSON. */
export function answerText({ agent, event }: Pick<HookCall, 'agent' | 'event'>, answer: HookAnswer): string {
  switch (answer.kind) {
    case 'pass':
      return JSON.stringify(answer.note === undefined ? {} : { systemMessage: answer.note })
    case 'block': {
      const decision = agent === 'gemini' ? 'deny' : 'block'
      return JSON.stringify({ decision, reason: cut(answer.reason), systemMessage: answer.note })
    }
    case 'tell':
      return JSON.stringify({
        hookSpecificOutput: { hookEventName: event, additionalContext: cut(answer.text) },
        ...(answer.note === undefined ? {} : { systemMessage: answer.note }),
      })
    case 'halt':
      return JSON.stringify({ continue: false, stopReason: cut(answer.reason) })
  }
}

function cut(text: string): string {
  return text.length <= REASON_LENGTH_MAX ? text : `${text.slice(0, REASON_LENGTH_MAX - CUT.length)}${CUT}`
}

const CUT = '\n[cut]'
