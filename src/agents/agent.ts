import type { Action } from '../core/action.ts'
import type { AgentAsk } from '../core/agent-ask.ts'
import type { Denied } from '../core/denied.ts'
import type { Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import type { Ruling } from '../core/ruling.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Captured } from '../process/output.ts'

export interface WorkRequest {
  readonly run: string
  readonly iteration: number
  readonly role: string
  /** What is asked for, whole. */
  readonly brief: string
  /** What people decided about single tests, as data; the brief says it too. Default: nothing. */
  readonly rulings?: readonly Ruling[]
  /** The folder to work in. */
  readonly cwd: string
  /** What is left of the time budget. The driver's own limit applies too; the shorter one wins. */
  readonly deadlineMs?: number
  /** The agent's own session to go on with, where it can. Default: it begins a new one. */
  readonly session?: string
  /** The session in which it last worked in this role, for an agent that is set to continue. Default: none is known. */
  readonly lastSession?: AgentSession
}

/** A session of an agent's own. */
export interface AgentSession {
  readonly id: string
  /** What it has used in all, as the agent counts it: figures of agents that add up over a session are told as differences to this. */
  readonly used?: Usage
  /** What work in it told since then, and is counted already: a sum that adds up holds it once more. */
  readonly unsettled?: Usage
}

/** What a driver may tell of the work besides its end; all of it is what the agent says, and proves nothing. */
export interface WorkDetails extends Usage {
  readonly session?: string
  /** What that session has used in all, where the agent counts so and has said it. */
  readonly sessionUsed?: Usage
  /** Set where that has also what earlier work of the session used and did not tell (`lastSession.unsettled` is there): it is known now. */
  readonly settlesSession?: true
  readonly model?: string
  /** Tools it used, the last `ACTIONS_KEPT_MAX`, and how many came before those. */
  readonly actions?: readonly Action[]
  readonly actionsCut?: number
  /** Files it says it edited, relative to the folder where they are in it; at most `FILES_KEPT_MAX`. The workspace knows the truth. */
  readonly files?: readonly string[]
  /** What its own rules denied it. */
  readonly denied?: Denied
  /** What it said, without what its tools returned, where the driver can tell one from the other; the end of it where it is long. */
  readonly words?: string
}

/** How the work ended. Never thrown: a driver turns everything that can happen into one of these. */
export type WorkResult =
  | ({
      readonly status: 'finished'
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
      readonly exitCode?: number
      readonly output?: Captured
    } & WorkDetails)
  /** The agent asks something that nobody can answer now (`EffectContext.ask` said so); what it changed so far is kept. */
  | ({
      readonly status: 'asked'
      readonly ask: AgentAsk
      readonly message: string
      readonly output?: Captured
    } & WorkDetails)
  /** It was interrupted; what it had told by then is counted. */
  | ({ readonly status: 'aborted' } & WorkDetails)

/** Something that works on a goal in a folder. */
export interface Agent {
  readonly spec: PartSpec
  readonly model?: string
  /**
   * Set when it works within this process and starts none that could outlive it. Its start is then recorded together with the
   * decision that led to it, which saves one write an iteration. Default: not set.
   */
  readonly isInProcess?: true
  /**
   * Set when its work tells what it used. Work that ends before it could tell says so (`isUsagePartial`); where this process is gone by
   * then, it is taken to have used more than is known. Default: not set, and what it does not tell is taken to cost nothing.
   */
  readonly tellsUsage?: true
  /** What keeps it from working in this folder, found without running it: a program that is not there. Default: nothing is known. */
  ready?(
    cwd: string,
  ): Promise<{ readonly fault: 'config' | 'environment'; readonly message: string; readonly fix: string } | undefined>
  work(request: WorkRequest, context: EffectContext): Promise<WorkResult>
}
