import type { AgentAsk } from '../core/agent-ask.ts'
import type { Action } from '../core/action.ts'
import type { BoxRecord, ProcessIdentity, Refusal, Usage } from '../core/event-data.ts'

/** What a driver gets besides its request. */
export interface EffectContext {
  /** Aborted when the run is paused or aborted, or the work is over a limit: end the whole process group, then return `aborted`. */
  readonly signal: AbortSignal
  /**
   * Call it once, before changing anything; resolves when the start is in the journal. A driver that starts a process passes its
   * identity and lets it begin only after this resolved, so that a crash never leaves an unknown process. `box` is what the process is in.
   */
  started(process?: ProcessIdentity, box?: BoxRecord): Promise<void>
  /** One short line about what is happening now. Shown, never journaled. */
  progress(line: string): void
  /** The box refused something: in the journal, and shown, as soon as it happens. Absent if nothing is recorded. */
  refused?(refusal: Refusal): void
  /** What an agent has done until now: call it whenever there is more. Limits and guards then hold while it works. */
  report?(work: WorkReport): void
  /** Passes warnings of guards to an agent that can read them while it works. Call it once; never call it if the agent can't. */
  onWarning?(take: (warning: string) => void): void
  /**
   * Finds the answer to an agent's question and records it: what a person answered earlier, else `byPolicy` (the answer for
   * unattended runs), else a person who is present. Resolves with `undefined` if nobody can answer now: end the agent, keep its
   * changes, return `asked`. Absent if the work can't be interrupted: then the answer is no.
   */
  ask?(ask: AgentAsk, byPolicy?: string): Promise<AskAnswer | undefined>
}

/** What an agent has done since its work began, as its driver sees it. */
export interface WorkReport {
  /** What it used, each message counted once. */
  readonly used: Usage
  /** How many messages and tool calls it made. */
  readonly messages: number
  /** The last tool calls with their results, and how many came before them. Their labels may be long and contain secrets. */
  readonly actions: readonly Action[]
  readonly actionsCut: number
  /** What it said; only the end of a long text. */
  readonly words: string
}

/** The id of the chosen option, and the person's note. */
export interface AskAnswer {
  readonly option: string
  readonly note?: string
}
