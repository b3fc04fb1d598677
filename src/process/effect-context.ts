import type { AgentAsk } from '../core/agent-ask.ts'
import type { ProcessIdentity } from '../core/event-data.ts'

/** What a driver gets besides its request. */
export interface EffectContext {
  /** Aborted when the run is paused or aborted: end the whole process group, then return `aborted`. */
  readonly signal: AbortSignal
  /**
   * Call it once, before changing anything; resolves when the start is in the journal. A driver that starts a process passes its
   * identity and lets it begin only after this resolved, so that a crash never leaves an unknown process.
   */
  started(process?: ProcessIdentity): Promise<void>
  /** One short line about what is happening now. Shown, never journaled. */
  progress(line: string): void
  /**
   * Finds the answer to an agent's question and records it: what a person answered earlier, else `byPolicy` (the answer for
   * unattended runs), else a person who is present. Resolves with `undefined` if nobody can answer now: end the agent, keep its
   * changes, return `asked`. Absent if the work can't be interrupted: then the answer is no.
   */
  ask?(ask: AgentAsk, byPolicy?: string): Promise<AskAnswer | undefined>
}

/** The id of the chosen option, and the person's note. */
export interface AskAnswer {
  readonly option: string
  readonly note?: string
}
