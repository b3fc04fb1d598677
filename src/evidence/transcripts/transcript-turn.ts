import type { FileChange, Usage } from '../../core/event-data.ts'
import type { Instant } from '../../core/event.ts'

/** One reply of an agent in a transcript: what it said, the tools it called with what they returned, and what it took. */
export interface TranscriptTurn extends Usage {
  /** When the reply was there, and when the last of its tools had answered. */
  readonly at: Instant
  readonly endedAt: Instant
  /** What a person said just before it, and when. */
  readonly prompt?: { readonly text: string; readonly at: Instant }
  readonly words: string
  readonly model?: string
  readonly calls: readonly TranscriptCall[]
}

/** One call of a tool. */
export interface TranscriptCall {
  readonly name: string
  readonly input: unknown
  /** Absent where nothing came back. */
  readonly response?: unknown
  /** What a shell was told, what it printed, and its exit code where the agent tells of it. */
  readonly shell?: { readonly command: string; readonly output?: string; readonly exitCode?: number }
  /** Files that the call edited, and how, as a patch. */
  readonly edits?: readonly FileChange[]
  readonly patch?: string
}

/** What is known of the session that a transcript is of. */
export interface TranscriptSession {
  /** The agent's own id of it. */
  readonly id: string
  /** The folder it worked in. */
  readonly cwd?: string
  /** The version of the agent's program. */
  readonly version?: string
}
