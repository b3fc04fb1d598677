import type { Action } from '../core/action.ts'
import type { AgentAsk } from '../core/agent-ask.ts'
import type { Denied, Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import type { Ruling } from '../core/ruling.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Trip } from '../core/trip.ts'
import type { Box, BoxNeeds } from '../process/box.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Captured } from '../process/output.ts'

export interface WorkRequest {
  readonly run: string
  readonly iteration: number
  readonly role: string
  /** The complete task. */
  readonly brief: string
  /** What people decided about single tests, as data; the brief says it too. Default: nothing. */
  readonly rulings?: readonly Ruling[]
  /** The folder to work in. */
  readonly cwd: string
  /** Where its programs are started. Default: on the machine itself. */
  readonly box?: Box
  /** The rest of the time budget. The driver's own limit applies too; the shorter one wins. */
  readonly deadlineMs?: number
  /** What is left of the money, for an agent that can stop there by itself. Default: no limit. */
  readonly costUsdMax?: number
  /** The commands that check its work, which it may run itself, as lines for a shell. Default: none. */
  readonly commands?: readonly string[]
  /** How many messages and tool calls it may take, for an agent that can count its turns. Pawl counts too. Default: no limit. */
  readonly messagesMax?: number
  /** The agent's session to continue, if it can. Default: a new one. */
  readonly session?: string
  /** A folder for the sessions of agents that can keep them elsewhere. Default: where the agent keeps them. */
  readonly sessions?: string
  /** Its last session in this role, for an agent that continues sessions. Default: none. */
  readonly lastSession?: AgentSession
}

/** An agent's own session. */
export interface AgentSession {
  readonly id: string
  /** Its total usage as the agent counts it: for agents that add up over a session, work is the difference to this. */
  readonly used?: Usage
  /** Usage since then that is counted already: the session's next total includes it again. */
  readonly unsettled?: Usage
}

/** What a driver may report about the work besides its end. The agent says so; it proves nothing. */
export interface WorkDetails extends Usage {
  readonly session?: string
  /** That session's total usage, if the agent reports it. */
  readonly sessionUsed?: Usage
  /** Set if that total includes earlier work whose usage wasn't reported (`lastSession.unsettled`): it is known now. */
  readonly settlesSession?: true
  readonly model?: string
  /** The last `ACTIONS_KEPT_MAX` tool calls, and how many came before. */
  readonly actions?: readonly Action[]
  readonly actionsCut?: number
  /** Files it says it edited, relative to the folder if inside; at most `FILES_KEPT_MAX`. The workspace knows the truth. */
  readonly files?: readonly string[]
  /** What its own rules or its box denied it. */
  readonly denied?: Denied
  /** What it said, without its tools' results, if the driver can separate them; only the end of a long text. */
  readonly words?: string
}

/** How the work ended. Drivers never throw: they turn everything that can happen into one of these. */
export type WorkResult =
  | ({
      readonly status: 'finished'
      /** Set if it stopped by itself at `costUsdMax` before it was done. */
      readonly isAtLimit?: true
      /** Why it was ended before it was done, if something other than a guard of the run ended it: a ceiling over all runs. */
      readonly endedBy?: Trip
      readonly exitCode?: number
      readonly summary?: string
      readonly output?: Captured
    } & WorkDetails)
  | ({
      readonly status: 'failed' | 'timed-out'
      readonly fault: Fault
      readonly message: string
      /** Set if it said nothing at all. */
      readonly saidNothing?: true
      readonly fix?: string
      readonly retryAt?: Instant
      /** Set if the provider has no limit but is down or can't be reached: that is waited for a few minutes only. */
      readonly isOutage?: true
      /** Set if a ceiling over all runs refuses the work. */
      readonly isCeiling?: true
      /** Set if another run of the same provider account met the limit, or tries whether it is over. */
      readonly isShared?: true
      readonly exitCode?: number
      readonly output?: Captured
    } & WorkDetails)
  /** The agent asks something that nobody can answer now (see `EffectContext.ask`); its changes are kept. */
  | ({
      readonly status: 'asked'
      readonly ask: AgentAsk
      readonly message: string
      readonly output?: Captured
    } & WorkDetails)
  /** It was interrupted; what it had reported by then counts. */
  | ({ readonly status: 'aborted'; readonly output?: Captured } & WorkDetails)

/** Something that works on a goal in a folder. */
export interface Agent {
  readonly spec: PartSpec
  readonly model?: string
  /**
   * Set if it works within this process and starts none that could outlive it. Its start is then recorded together with the decision
   * that led to it, which saves one write per iteration. Default: not set.
   */
  readonly isInProcess?: true
  /**
   * Set if it reports its usage. Work that ends before it could do so says so (`isUsagePartial`); after a crash of this process, it is
   * assumed to have used more than is known. Default: not set, and unreported usage counts as 0.
   */
  readonly tellsUsage?: true
  /** What it needs outside its workspace, for a box. Default: nothing. */
  readonly needs?: BoxNeeds
  /** What prevents it from working in this folder, found without running it, such as a missing program. Default: unknown. */
  ready?(
    cwd: string,
  ): Promise<{ readonly fault: 'config' | 'environment'; readonly message: string; readonly fix: string } | undefined>
  /** The version of its program, found without running it; `undefined` if unknown. Default: unknown. */
  version?(cwd: string): Promise<string | undefined>
  work(request: WorkRequest, context: EffectContext): Promise<WorkResult>
}
