import type { AgentAsk } from '../core/agent-ask.ts'
import type { ProcessIdentity } from '../core/event-data.ts'

/** What a driver is given besides its request. */
export interface EffectContext {
  /** Aborted when the run is paused or aborted: end the whole process group, then return `aborted`. */
  readonly signal: AbortSignal
  /**
   * Called once, before anything is changed; resolves when the start is in the journal. A driver that starts a process
   * hands in its identity and lets it begin only after this resolved, so that a crash never leaves an unknown process.
   */
  started(process?: ProcessIdentity): Promise<void>
  /** One short line on what is happening now. Shown, never journaled. */
  progress(line: string): void
  /**
   * Takes what the agent asks to whoever can answer, and has it put on record: what a person answered earlier, else `byPolicy`, the
   * answer for unattended runs, where there is one, else a person who is here. Resolves with `undefined` where nobody can answer now:
   * end the agent, keep what it changed, return `asked`. Absent where work cannot be put aside: then the answer is no.
   */
  ask?(ask: AgentAsk, byPolicy?: string): Promise<AskAnswer | undefined>
}

/** The id of the chosen option, and what the person said besides. */
export interface AskAnswer {
  readonly option: string
  readonly note?: string
}
