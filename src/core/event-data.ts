import type { Action } from './action.ts'
import type { AgentAsk } from './agent-ask.ts'
import type { Instant, Seq } from './event.ts'
import type { Failure, TestCounts } from './failure.ts'
import type { TestChanges } from './measures/test-changes.ts'
import type { CellName, Proof } from './proof.ts'
import type { Question } from './question.ts'
import type { RunConfig } from './run-config.ts'
import type { Saying } from './saying.ts'
import type { Suspicion } from './suspicion.ts'
import type { Trip } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** A text kept once, by content hash, beside the journal. `bytesCut` says how much of the original was left out. */
export interface TextRef {
  readonly sha256: string
  readonly bytes: number
  readonly bytesCut?: number
}

/**
 * Whose fault a failure is. Only `agent` counts against guards and attempts; `provider-limit` waits and continues;
 * `environment` and `config` are asked about at once, with the fix.
 */
export type Fault = 'agent' | 'environment' | 'config' | 'provider-limit'

/** A process group and when its leader started, so that a recycled id is never mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string
  readonly host: string
}

export interface Usage {
  readonly costUsd?: number
  readonly tokens?: number
  /** Set by a driver that counts, when more was used than is reported here: the work ended before the agent gave its figures. */
  readonly isUsagePartial?: true
  /** Set if the cost is tokens at the prices of pawl.yaml, and not what the agent or its provider reported. */
  readonly isCostEstimated?: true
}

/** The agent's own session, if it tells of one. */
export interface SessionUsage {
  readonly session?: string
  /** The session's total use, if the agent reports totals: the next figures are differences to these. */
  readonly sessionUsed?: Usage
  /** Set if that includes what earlier work of the session used and did not report: it is known now. */
  readonly settlesSession?: true
}

export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted'
}

export interface WorkStarted {
  readonly key: EffectKey
  readonly iteration: number
  readonly role: string
  readonly brief: TextRef
  readonly process?: ProcessIdentity
  /** Set if its agent reports its usage: if nobody hears it, the usage is unknown. */
  readonly tellsUsage?: true
  /** What it is started in. Absent: on the machine itself. */
  readonly box?: BoxRecord
}

export interface WorkFinished extends Usage, SessionUsage {
  readonly key: EffectKey
  readonly durationMs: number
  readonly exitCode?: number
  readonly summary?: string
  readonly output?: TextRef
  /** What it said, without what its tools returned, where its driver can tell one from the other. */
  readonly said?: TextRef
  /** Set if it printed something and no word of it is the agent's: whitespace, or only what its tools returned. */
  readonly saidNothing?: true
  /** Set when the output ends in the same words again and again. */
  readonly spinning?: Spinning
  /** Why Pawl ended it before the agent was done. */
  readonly endedBy?: Trip
  readonly denied?: Denied
  /** What the box refused, in journals from before `box.refused`. */
  readonly refused?: readonly Refusal[]
}

export interface WorkFailed extends Usage, SessionUsage {
  readonly key: EffectKey
  readonly reason: 'failed' | 'timed-out'
  readonly fault: Fault
  readonly message: string
  /** What would fix it, if known. */
  readonly fix?: string
  /** When a provider limit is lifted. */
  readonly retryAt?: Instant
  /** Set if the provider has no limit but is down or can't be reached: that is waited for a few minutes only. */
  readonly isOutage?: true
  /** Set if a ceiling over all runs refuses the work: because it is spent, or because other runs have reserved the rest. */
  readonly isCeiling?: true
  /** Set if another run of the same provider account met the limit, or tries whether it is over. */
  readonly isShared?: true
  readonly durationMs: number
  readonly exitCode?: number
  /** Set if the agent said nothing at all before it failed. */
  readonly saidNothing?: true
  readonly output?: TextRef
  readonly spinning?: Spinning
  readonly denied?: Denied
  readonly refused?: readonly Refusal[]
}

/** The agent asks and nobody is there: its work is put aside, with the files as they are, until a person answers. */
export interface WorkAsked extends Usage, SessionUsage {
  readonly key: EffectKey
  readonly ask: AgentAsk
  readonly durationMs: number
  readonly output?: TextRef
}

/** The work was cut off and is undone. What it used is there as far as the agent had told it; nothing if its runner was gone. */
export interface WorkAbandoned extends Usage, SessionUsage {
  readonly key: EffectKey
  readonly reason: string
}

/** The agent asked and was answered while it worked. */
export interface WorkAnswered {
  readonly key: EffectKey
  readonly ask: AgentAsk
  /** The id of the answer among the ask's options. */
  readonly option: string
  /** By a person at once, by the policy for unattended runs, or by what a person answered earlier. */
  readonly how: 'person' | 'policy' | 'earlier'
  readonly note?: string
  /** How long the person was waited for. */
  readonly waitedMs?: number
}

export interface WorkspaceObserved {
  readonly key: EffectKey
  readonly tree: string
  /** Name under which the tree can be restored. */
  readonly snapshot: string
  /** Against the tree before it; at most `FILES_KEPT_MAX`, `filesChanged` counts all. */
  readonly files: readonly FileChange[]
  readonly filesChanged: number
  readonly insertions: number
  readonly deletions: number
  readonly diff?: TextRef
  /** The first lines that the agent changed: what briefs and questions show of it. */
  readonly lines?: readonly FileLines[]
  /** What happened besides the files, then what could not be taken in. */
  readonly notes?: readonly string[]
  /** How many of the notes, the last ones, say what could not be taken in. */
  readonly leftOut?: number
  /** At the first look: what is installed beside the project's files, a line for each package with its fingerprint. */
  readonly packages?: TextRef
  /** Edits of the agent to what its work is checked by. */
  readonly suspicions?: readonly Suspicion[]
  /** How much this change is like the one of the iteration before, where both changed something. */
  readonly likeness?: Likeness
}

/** Changed lines of one file, each shortened and with its sign before it. */
export interface FileLines {
  readonly path: string
  readonly lines: readonly string[]
}

/** Two successive changes compared. */
export interface Likeness {
  /** Share of changed lines they have in common, whitespace, times and places left out: 0..1. */
  readonly lines: number
  readonly linesDiffering: number
  /** Ratio of matching characters as Python's difflib gives it, where the loop or a guard asks for it. */
  readonly characters?: number
}

export interface CheckEnded extends Usage {
  readonly key: EffectKey
  readonly name: string
  /** The tree that was checked. */
  readonly tree: string
  readonly durationMs: number
  readonly exitCode?: number
  readonly output?: TextRef
  readonly counts?: TestCounts
  /** At most `FAILURES_KEPT_MAX`; the output has them all. */
  readonly failures: readonly Failure[]
  /** How its tests compare with its last run. */
  readonly tests?: TestChanges
  /** Set if it was run twice on these files: how the first run ended. Everything else is what both runs together say. */
  readonly firstRun?: FirstRun
  /** Tests that passed in one of the two runs and failed in the other, at most `FAILURES_KEPT_MAX`. */
  readonly flaky?: readonly string[]
  /** What a reviewer says of the whole. */
  readonly summary?: string
  /** The agent that reviewed, and its model if known. */
  readonly reviewer?: { readonly agent: string; readonly model?: string }
}

/** A check's first run, after which it was run again. */
export interface FirstRun {
  readonly durationMs: number
  readonly exitCode?: number
  readonly output?: TextRef
}

export interface CheckErrored extends Usage {
  readonly key: EffectKey
  readonly name: string
  readonly fault: Exclude<Fault, 'agent' | 'provider-limit'>
  /** A program that it needs is not there. */
  readonly isProgramMissing?: true
  /** What it is asked to run is not there. */
  readonly isTargetMissing?: true
  readonly message: string
  readonly fix?: string
  readonly durationMs: number
  readonly output?: TextRef
}

/** What one iteration came to, in numbers that stay small. */
export interface IterationEnded {
  readonly iteration: number
  readonly verdict: Verdict
  readonly tree: string
  readonly filesChanged: number
  readonly durationMs: number
  readonly costUsd: number
  readonly tokens: number
  /** Checks that run only before a success, and did not, since another failed. */
  readonly checksNotRun?: readonly string[]
}

export type DecisionAction = 'proceed' | 'retry' | 'escalate' | 'stop' | 'wait'

export interface DecisionMade {
  readonly iteration: number
  readonly action: DecisionAction
  readonly message: string
  /** The facts it rests on. */
  readonly basis: readonly Seq[]
  /** What guards found, trips and warnings alike: the guard, and the topic if it watches several things (`budget:cost`). */
  readonly trips: readonly string[]
  /** `message` as data: which sentence, with its values. */
  readonly says?: Saying
  /** The guards whose trips it rests on. */
  readonly guards?: readonly string[]
}

/** When a process that fell silent last drove the run: still now, or when it was last seen. Default: unknown. */
export interface DrivenUntil {
  readonly drivenUntil?: Instant
}

declare global {
  /**
   * What loops add to the core's types. A loop declares its own by merging:
   * `declare global { namespace Pawl { interface LoopEvents { 'ticket.opened': { readonly title: string } } } }`
   */
  namespace Pawl {
    /** Event types and the data each carries. */
    interface LoopEvents {}
    /** What loops keep in `State.slices`, by name. */
    interface LoopSlices {}
    /** Effects of their own, by kind. Each has `kind`, `key` and `iteration`. */
    interface LoopEffects {}
    /** What a loop adds to a piece of work, for the loop's own performer that the work names. */
    interface LoopWork {}
  }
}

/** The journal's vocabulary: `noun.verbed` and the data each carries. */
export interface EventData extends Pawl.LoopEvents {
  'run.started': { readonly config: RunConfig }
  'run.reconfigured': { readonly config: RunConfig; readonly message: string }
  /** The agent's session that the run belongs to: it never answers another one's stop. */
  'run.bound': { readonly agent: string; readonly session: string }
  /** It belongs to no session from here on: its holder is let go. */
  'run.unbound': { readonly agent: string; readonly session: string }
  'run.paused': { readonly reason: string }
  /** A process took the run up again: after a crash, a pause or a wait. */
  'run.resumed': { readonly holder: ProcessIdentity; readonly reason: string } & DrivenUntil
  'run.completed': { readonly iteration: number; readonly tree: string; readonly message: string }
  'run.stopped': {
    readonly iteration: number
    readonly message: string
    readonly trips: readonly Trip[]
    readonly question: Question
  }
  'run.aborted': { readonly reason: string } & DrivenUntil
  /** What an agent's transcript tells is all there, up to this iteration; `passed` is what the last report of tests in it says. */
  'run.imported': { readonly agent: string; readonly iteration: number; readonly message: string; readonly passed?: boolean }
  'iteration.started': { readonly iteration: number }
  'iteration.ended': IterationEnded
  'work.started': WorkStarted
  'work.finished': WorkFinished
  'work.failed': WorkFailed
  /** What the agent did while it worked, for guards that look at single actions. */
  'work.acted': {
    readonly key: EffectKey
    readonly actions: readonly Action[]
    /** How many came before those. */
    readonly cut?: number
    /** Files it says it edited; what it did edit, the workspace says. */
    readonly files?: readonly string[]
  }
  'work.asked': WorkAsked
  'work.answered': WorkAnswered
  'work.abandoned': WorkAbandoned
  /**
   * Another agent continues in the place of one, with the same brief: at a provider's limit, because it cannot work here (`unavailable`),
   * or because the limit of the first is over. `until`: when the first may work again.
   */
  'agent.switched': {
    readonly from: string
    readonly to: string
    readonly reason: 'provider-limit' | 'unavailable' | 'limit-over'
    readonly message: string
    readonly until?: Instant
  }
  'workspace.observed': WorkspaceObserved
  /** `savedAs` names the tree as it was just before, so that nothing is lost. */
  'workspace.restored': { readonly key: EffectKey; readonly tree: string; readonly savedAs?: string } & RestoredFiles
  /** `isReview`: an agent looks at the files; what it may have changed is undone when nobody is there to say what became of it. */
  'check.started': {
    readonly key: EffectKey
    readonly name: string
    readonly process?: ProcessIdentity
    readonly isReview?: true
    /** Set for a run in a proof: which tests run on which code. */
    readonly cell?: CellName
    /** Set if the reviewer reports its usage. */
    readonly tellsUsage?: true
    /** What it is started in. Absent: on the machine itself. */
    readonly box?: BoxRecord
  }
  'check.passed': CheckEnded
  'check.failed': CheckEnded
  'check.errored': CheckErrored
  'review.approved': CheckEnded
  'review.rejected': CheckEnded
  /** The box of an agent, a check or a command of Pawl's refused something. */
  'box.refused': Refusal & { readonly key: EffectKey }
  /** A command makes a folder ready that Pawl made: a worktree, or with `cell` a copy in a proof. */
  'prepare.started': {
    readonly key: EffectKey
    readonly command: string
    readonly cell?: CellName
    readonly process?: ProcessIdentity
  }
  'prepare.finished': {
    readonly key: EffectKey
    readonly command: string
    readonly cell?: CellName
    readonly durationMs: number
  }
  /** It says nothing about the work: a person is asked. */
  'prepare.failed': {
    readonly key: EffectKey
    readonly command: string
    readonly cell?: CellName
    readonly fault: 'environment' | 'config'
    readonly message: string
    readonly fix: string
    readonly durationMs: number
    readonly output?: TextRef
  }
  /** Why the work is believed to be done, or what speaks against it. */
  /** `packages`: what is installed, as in `workspace.observed`; the next unit of work begins with it. */
  'proof.made': Proof & { readonly key: EffectKey; readonly durationMs: number; readonly packages?: TextRef }
  /** A review that was cut off said nothing about the work; what it used counts all the same. */
  'review.abandoned': Usage & { readonly key: EffectKey; readonly name: string; readonly reason: string }
  'guard.tripped': Trip
  'guard.nudged': Trip
  'guard.waived': { readonly guard: string; readonly note?: string }
  /** A person says that the guard was wrong: counted against it, and it is passed this once. */
  'guard.disputed': { readonly guard: string; readonly note?: string }
  'budget.warned': Trip
  'decision.made': DecisionMade
  /** A place in the journal and a tree to come back to. */
  'checkpoint.created': {
    readonly checkpoint: string
    readonly at: Seq
    readonly tree: string
    readonly snapshot: string
    readonly trigger: 'auto' | 'manual' | 'pause' | 'error'
    readonly context?: string
    readonly draft?: TextRef
    readonly expiresAt: Instant
  }
  'checkpoint.dropped': { readonly checkpoint: string; readonly reason: string }
  'timer.set': { readonly timer: string; readonly until: Instant; readonly message: string }
  'timer.fired': { readonly timer: string }
  /** An agent put a question into better words; without `text` it could not, and the question stays as it was. */
  'question.phrased': Usage & { readonly key: EffectKey; readonly text?: string; readonly trouble?: string }
  'escalation.raised': {
    readonly iteration: number
    readonly message: string
    readonly trips: readonly Trip[]
    readonly question: Question
    /** Set when what is asked for is a review: the check that the answer decides. */
    readonly review?: { readonly key: EffectKey; readonly name: string }
  }
  'escalation.answered': { readonly choice: string; readonly note?: string }
}

/** How many changed files an event names. */
export const FILES_KEPT_MAX = 100

/** How many failures an event carries. */
export const FAILURES_KEPT_MAX = 50

/** What an agent wanted to do and was denied by its own rules, if it tells so. */
export interface Denied {
  readonly calls: number
  /** One sentence, with what it wanted to do. */
  readonly message: string
  /** What would allow it. */
  readonly fix: string
  /** Set if it was the box, and not its own rules. */
  readonly isBox?: true
}

/** What a box enforces. With a command of the user's own, only its name is known. */
export interface BoxRecord {
  readonly isolation: string
  /** The program that makes it. */
  readonly by?: string
  /** For a container: the image's id. */
  readonly image?: string
  /** `proxy`: only `hosts` can be reached. */
  readonly network?: 'none' | 'proxy' | 'open'
  readonly hosts?: readonly string[]
  /** What can be written besides the workspace. */
  readonly writable?: readonly string[]
}

/** What a box refused: a write outside, or a host. */
export interface Refusal {
  readonly what: 'write' | 'host'
  /** The path or the host. */
  readonly name: string
  readonly program?: string
  /** What allows it as a value of `sandbox.allow` or `sandbox.writable`; absent if nothing does. */
  readonly allow?: string
  /** Set for a host that a check wanted: checks have no network, whatever is allowed. */
  readonly isCheck?: true
}

/** Text that goes round in circles. */
export interface Spinning {
  readonly unit: string
  readonly repeats: number
}

/** What a restore put back, as far as its workspace reports it. */
export interface RestoredFiles {
  /** As against the files just before; at most `FILES_KEPT_MAX`. */
  readonly files?: readonly FileChange[]
  /** Counts all. */
  readonly filesChanged?: number
}

/** Stable name of one effect, `iteration/role/index`. Its facts carry it; a key that finished is never asked for again. */
export type EffectKey = string
