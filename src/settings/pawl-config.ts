import type { IsolationSettings, SandboxOptions } from '../sandbox/settings.ts'
import type { GuardName } from '../guards/default-guards.ts'
import type { ProofLevel } from '../core/proof.ts'
import type { FlakyPolicy, PrepareStep, Severity } from '../core/run-config.ts'
import type { CommandLine } from '../process/command-options.ts'
import type { ConfiguredAcp, ConfiguredModel } from './other-agents.ts'
import type { NoticeSettings } from './notice-settings.ts'
import type { QueueSettings } from './queue-settings.ts'
import type { CeilingLimits } from '../registry/ceilings.ts'
import type { ReportOptions } from '../registry/report-option.ts'

/** What a `pawl.yaml` says. What it does not say is absent: defaults live where the parts are made. */
export interface PawlConfig {
  /** A preset or a name from `agents`. */
  readonly agent?: string
  /** Agents that continue in this order when one cannot. */
  readonly fallback?: readonly string[]
  /** Default: a provider's limit is waited for when its end is known and near, else the next agent continues. */
  readonly onLimit?: 'wait' | 'switch'
  /** Default: none. */
  readonly agents: Readonly<Record<string, ConfiguredAgent>>
  /** Default: none. */
  readonly checks: readonly ConfiguredCheck[]
  /** Validation rules as data, `{ type, name, config }`: checks of any kind, after the others. */
  readonly rules?: readonly object[]
  /** An agent, or `person`. */
  readonly reviewer?: string
  /** The agent that puts questions into words. */
  readonly questioner?: string
  /** Agents that play the roles of a review: `reviewer` (or `person`), `planner`, `repairer`, and coders by any other name. */
  readonly roles?: Readonly<Record<string, string>>
  /** Agents that a person may put to work when a guard has tripped, by the guard's name. */
  readonly experts?: Readonly<Record<string, string>>
  /** Globs of files that the agent must not change. */
  readonly protect?: readonly string[]
  /** Globs of files on the test side; one with `!` in front is not. */
  readonly tests?: readonly string[]
  /** Globs of tests that the agent may change. */
  readonly mayChange?: readonly string[]
  /** The weakest proof that counts as done. */
  readonly requireProof?: ProofLevel
  /** What becomes of tests that pass and fail on the same files. */
  readonly flaky?: FlakyPolicy
  /** Whether tests are written before the work, or the agent that writes them. */
  readonly testFirst?: boolean | string
  readonly isolation?: NonNullable<IsolationSettings['isolation']>
  /** By the names of roles. */
  readonly roleIsolation?: NonNullable<IsolationSettings['roleIsolation']>
  /** By the names of checks. */
  readonly checkIsolation?: NonNullable<IsolationSettings['roleIsolation']>
  readonly sandbox?: SandboxOptions
  readonly isolationCommand?: readonly string[]
  readonly probe?: boolean
  readonly sessions?: 'agent' | 'run'
  /** Whether bell and desktop notice announce a run's question. */
  readonly notify?: boolean
  /** Where `pawl serve` sends notices. */
  readonly notices?: NoticeSettings
  /** Commands that make a folder ready which Pawl made. */
  readonly prepare?: readonly PrepareStep[]
  /** A folder outside the project with tests that the agent does not see. */
  readonly heldOut?: string
  readonly maxIterations?: number
  /** Up to how many iterations the limit rises while each is better. */
  readonly extendWhileImproving?: number
  readonly autoRetryOnTestFail?: boolean
  readonly autoRetryOnReviewReject?: boolean
  readonly escalationIncludesDiff?: boolean
  /** 0 means no limit, as for the other two budgets. */
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly budgetTimeMs?: number
  /** How long a run may wait in all; 0 means no limit. */
  readonly maxWaitMs?: number
  /** The database that has the runs. Default: the project's own file. */
  readonly store?: string
  /** What all runs of the project may use. */
  readonly ceilings?: CeilingLimits
  /** For agents that do not set their own. */
  readonly agentTimeoutMs?: number
  readonly baseline?: boolean
  readonly feedbackMaxLength?: number
  /** Whether passing tests end an item of a review over a finding that concerns security. */
  readonly testerOverrulesSecurity?: boolean
  readonly worktree?: boolean
  /** A bare git repository that snapshots are pushed to. */
  readonly remote?: string
  /** What queued runs need, and when they are taken. */
  readonly queue?: QueueSettings
  readonly guards?: ConfiguredGuards
}

/** An agent of the user's own: any program, or a known agent with other settings. */
export type ConfiguredAgent = ConfiguredProgram | ConfiguredDriver | ConfiguredAcp | ConfiguredModel

/** Any program that gets a brief and works in the folder. */
export type ConfiguredProgram = CommandLine & {
  readonly briefAs?: 'stdin' | 'argument'
  readonly timeoutMs?: number
  readonly environment?: readonly string[]
}

/** A known agent with its own settings. */
export interface ConfiguredDriver {
  /** Which one. Default: that of the same name. */
  readonly driver?: string
  readonly program?: string
  readonly model?: string
  readonly permissionMode?: 'read' | 'edit' | 'full'
  readonly session?: 'fresh' | 'continue'
  readonly arguments?: readonly string[]
  readonly timeoutMs?: number
  /** Variables passed on besides those that the driver knows of. */
  readonly environment?: readonly string[]
  /** What tokens cost, if it reports no cost. */
  readonly prices?: object
}

/** A command that says whether the work is right. */
export type ConfiguredCheck = CommandLine & {
  readonly name: string
  readonly timeoutMs?: number
  /** Variables passed on to it; a check sees no others but a harmless few. */
  readonly environment?: readonly string[]
  readonly report?: ReportOptions
  /** The folder to run it in, below the project's. */
  readonly cwd?: string
  /** False: a proof runs it in place, never in a fresh copy. */
  readonly room?: boolean
  /** `before-success`: it runs only once all other checks passed. */
  readonly when?: 'always' | 'before-success'
}

/** The guards that a file names; the others keep their defaults. */
export type ConfiguredGuards = Readonly<Partial<Record<GuardName, ConfiguredGuard>>>

/** The settings of a guard, or `off`, which leaves it out. A `ladder` warns first and decides `patience` iterations later. */
export type ConfiguredGuard =
  | 'off'
  | { readonly severity?: Severity | 'ladder'; readonly patience?: number; readonly [setting: string]: unknown }
