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
}
