import type { Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Captured } from './captured.ts'
import type { EffectContext } from './effect-context.ts'

export interface WorkRequest {
  readonly run: string
  readonly iteration: number
  readonly role: string
  /** What is asked for, whole. */
  readonly brief: string
  /** The folder to work in. */
  readonly cwd: string
  /** What is left of the time budget. The driver's own limit applies too; the shorter one wins. */
  readonly deadlineMs?: number
}

/** How the work ended. Never thrown: a driver turns everything that can happen into one of these. */
export type WorkResult =
  | ({
      readonly status: 'finished'
      readonly exitCode?: number
      readonly summary?: string
      readonly output?: Captured
      readonly session?: string
    } & Usage)
  | ({
      readonly status: 'failed' | 'timed-out'
      readonly fault: Fault
      readonly message: string
      readonly fix?: string
      readonly retryAt?: Instant
      readonly exitCode?: number
      readonly output?: Captured
    } & Usage)
  | { readonly status: 'aborted' }

/** Something that works on a goal in a folder. */
export interface Agent {
  readonly spec: PartSpec
  readonly model?: string
  /**
   * Set when it works within this process and starts none that could outlive it. Its start is then recorded together with the
   * decision that led to it, which saves one write an iteration. Default: not set.
   */
  readonly isInProcess?: true
  /** What keeps it from working in this folder, found without running it: a program that is not there. Default: nothing is known. */
  ready?(
    cwd: string,
  ): Promise<{ readonly fault: 'config' | 'environment'; readonly message: string; readonly fix: string } | undefined>
  work(request: WorkRequest, context: EffectContext): Promise<WorkResult>
}
