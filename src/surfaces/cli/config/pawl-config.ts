import type { Severity } from '../../../core/trip.ts'
import type { CommandLine } from '../../../process/command-options.ts'

/** What a `pawl.yaml` says. What it does not say is absent: defaults live where the parts are made. */
export interface PawlConfig {
  /** A preset or a name from `agents`. */
  readonly agent?: string
  /** Default: none. */
  readonly agents: Readonly<Record<string, ConfiguredAgent>>
  /** Default: none. */
  readonly checks: readonly ConfiguredCheck[]
  readonly maxIterations?: number
  /** 0 means no limit, as for the other two budgets. */
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly budgetTimeMs?: number
  /** For agents that do not set their own. */
  readonly agentTimeoutMs?: number
  readonly baseline?: boolean
  readonly feedbackMaxLength?: number
  readonly worktree?: boolean
  readonly guards?: ConfiguredGuards
}

/** An agent of the user's own: any program that gets a brief and works in the folder. */
export type ConfiguredAgent = CommandLine & {
  readonly briefAs?: 'stdin' | 'argument'
  readonly timeoutMs?: number
  readonly environment?: readonly string[]
}

/** A command that says whether the work is right. */
export type ConfiguredCheck = CommandLine & {
  readonly name: string
  readonly timeoutMs?: number
  /** Variables passed on to it; a check sees no others but a harmless few. */
  readonly environment?: readonly string[]
}

/** `off` leaves the guard out; an absent one keeps its defaults. */
export interface ConfiguredGuards {
  readonly circuitBreaker?: 'off' | { readonly failuresMax?: number; readonly severity?: Severity }
  readonly sameFailure?: 'off' | { readonly repeatsMin?: number; readonly severity?: Severity }
}
