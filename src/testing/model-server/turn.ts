import type { Json } from '../../core/json.ts'

/** The wire formats the scripted model speaks. */
export type ModelApi = 'responses' | 'messages' | 'gemini' | 'chat'

/** A call of a tool that the model asked for earlier. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  /** As the tool got it: an object, or a text for tools that take one. */
  readonly input: Json
}

/** What a tool answered. */
export interface ModelToolResult {
  /** Of the call it answers; empty where the API has none. */
  readonly id: string
  readonly text: string
}

/** One message of the conversation, the same for every API. A message that carries results of tools has the role `tool`. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly calls: readonly ModelToolCall[]
  readonly results: readonly ModelToolResult[]
}

/** What the model is asked: all that a script may go by, besides the state of the files. */
export interface ModelTurn {
  readonly api: ModelApi
  readonly model: string
  readonly isStreaming: boolean
  /** From the oldest to the newest; the system's instructions first. */
  readonly messages: readonly ModelMessage[]
  /** Names of the tools the agent offers. Side calls (titles, summaries) usually offer none. */
  readonly tools: readonly string[]
  /** The agent's working directory, where it says so in the conversation. */
  readonly cwd?: string
}

/** What came after the last thing a person, or a hook in a person's place, said. */
export function sinceUser(turn: ModelTurn): readonly ModelMessage[] {
  return turn.messages.slice(turn.messages.findLastIndex(({ role }) => role === 'user') + 1)
}
