import type {
  DecisionAction,
  Denied,
  EffectKey,
  FileChange,
  FileLines,
  Likeness,
  ProcessIdentity,
  Spinning,
  Refusal,
  TextRef,
  Usage,
  WorkFailed,
} from './event-data.ts'
import type { Unsettled } from './spending.ts'
import type { AgentAsk, AskReply } from './agent-ask.ts'
import type { Effect } from './effect.ts'
import type { Instant, RunId, Seq } from './event.ts'
import type { Failure, TestCounts } from './failure.ts'
import { initialMeasures, type Measures } from './measures/measures.ts'
import type { LedgerMovement } from './measures/ledger.ts'
import type { Proof } from './proof.ts'
import type { Allowance, Question, Raise } from './question.ts'
import type { Guidance } from './ruling.ts'
import type { PartSpec, RunConfig } from './run-config.ts'
import type { Suspicion } from './suspicion.ts'
import type { Trip } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** Everything the pure side knows: a fold of the journal, bounded in size however long the run is. */
export interface State {
  readonly run: RunId
  readonly seq: Seq
  /** The last event's `at`: pure code's "now". */
  readonly at: Instant
  readonly startedAt: Instant
  readonly status: RunStatus
  /** What holds now: as given, with what people's answers lifted. */
  readonly config: RunConfig
  readonly given: RunConfig
  readonly current: Iteration
  readonly totals: Totals
  readonly measures: Measures
  /** The newest known tree and the name it can be restored by. */
  readonly tree?: KnownTree
  /** What was installed before any work on the goal, or on the unit under way. */
  readonly packages?: TextRef
  /** What a person changed since that work began, as the snapshots before and after it: their tests are the ones that count. */
  readonly personEdits?: readonly { readonly before: string; readonly after: string }[]
  /** What the checks said before any work was done. */
  readonly baseline?: { readonly verdict: Verdict; readonly tree: string; readonly failures: readonly Failure[] }
  readonly best?: BestIteration
  /** The best before that one, to fall back on where a guard does not believe it. */
  readonly bestBefore?: BestIteration
  /** The tree before the first work on the goal, or on the unit under way: what a reviewer is shown begins there. */
  readonly base?: KnownTree
  /** The unit of work under way, if there are several in a row. */
  readonly unit?: Unit
  /** Set by a loop whose agents change no files: leaving them as they were is then not idle. */
  readonly isReadOnly?: true
  /** What the run's loop keeps of its own events; absent if the state was folded without the loop. */
  readonly slices?: Slices
  /** The last iterations, the newest last; at most `RECENT_MAX`. */
  readonly recent: readonly IterationSummary[]
  /**
   * What must happen to the workspace before anything else: another process or a person may have changed it (`observe`), an agent
   * that could not do its work may have left edits (`left`), or half-done work has to be undone (`restore`).
   */
  readonly workspace: 'known' | 'observe' | 'left' | 'restore'
  /** The `seq` that made the workspace unknown. */
  readonly workspaceCause: Seq
  readonly question?: OpenQuestion
  /** An answer that ends the run or reviews the work, until its consequence is recorded. */
  readonly answer?: {
    readonly seq: Seq
    readonly kind: 'accept' | 'abort' | 'approve' | 'reject'
    readonly label: string
    readonly note?: string
  }
  /** Settings a person's answer lifts, until they are recorded as `run.reconfigured`. */
  readonly raises?: readonly Raise[]
  /** Checks that a person's answer adds, until they are recorded as `run.reconfigured`. */
  readonly added?: readonly PartSpec[]
  /** The agent that a person's answer puts to work, until it is recorded as `run.reconfigured`. */
  readonly expert?: PartSpec
  /** What people told the agent, the newest last; at most `NOTES_MAX`. */
  readonly notes: readonly string[]
  /** The notes that a person's choices brought, with what they settle. */
  readonly guidance?: readonly Guidance[]
  /** Warnings for the next brief, and those already given while they still hold. */
  readonly nudges: readonly Trip[]
  readonly nudged: readonly { readonly topic: string; readonly iteration: number }[]
  /** Guards a person allowed to be passed once. */
  readonly waivers: readonly string[]
  /** What a person lets the agent do to the tests, until the run or the unit ends. */
  readonly allowances?: readonly Allowance[]
  /** Checks that were added while the run was under way: if what they run is missing, the one who added them has to know. */
  readonly lateChecks?: readonly string[]
  /** Checks of which a person said that what they run is for the agent to make: until then they fail like any other. */
  readonly toBeMade?: readonly string[]
  /** What people answered to questions of what is right, the newest last; at most five. */
  readonly answers?: readonly GivenAnswer[]
  /** People's lasting answers to what agents asked. */
  readonly replies?: readonly AskReply[]
  /** What the agent did to its checks, as its last look showed it, until it is put back or a person accepts it. */
  readonly openSuspicions?: readonly Suspicion[]
  /** The agent's session this run belongs to, if it is bound to one. */
  readonly bound?: { readonly agent: string; readonly session: string; readonly seq: Seq }
  /** The sessions in which agents last worked, by role; a unit of work begins without. */
  readonly sessions?: readonly RoleSession[]
  /** Agents that cannot work now, and who continues for each. */
  readonly standIns?: readonly StandIn[]
  /** The agents, and the reviews, that a provider has served in this run, by name. */
  readonly served?: readonly string[]
  readonly checkpoints: readonly Checkpoint[]
  readonly timer?: { readonly timer: string; readonly since: Instant; readonly until: Instant; readonly seq: Seq }
  /** The last message that explains the run's state. */
  readonly message: string
}

/** The slices that loops declare in `Pawl.LoopSlices`. JSON, and bounded in size however long the run is. */
export type Slices = { readonly [Name in keyof Pawl.LoopSlices]?: Pawl.LoopSlices[Name] }

export interface KnownTree {
  readonly tree: string
  readonly snapshot: string
}

export interface Totals {
  readonly costUsd: number
  readonly tokens: number
  readonly activeMs: number
  /** How many pieces of work are not in `costUsd`, or not wholly, since nobody reported what they cost. Default 0. */
  readonly unpriced?: number
  /** The same of `tokens`. Default 0. */
  readonly uncounted?: number
  /** Set if some of the cost is tokens at the prices of pawl.yaml. */
  readonly isEstimated?: true
  /** How long the run waited for providers, or for other runs under a ceiling. Default 0. */
  readonly waitedMs?: number
}

/** The iteration under way; number 0 is the look before any work. */
export interface Iteration {
  readonly number: number
  readonly seq: Seq
  readonly totalsAtStart: Totals
  /** Of what was unknown in the totals, how much became known meanwhile. */
  readonly settled?: UnknownWork
  /** What was begun or done in it: a short list, since keys as names of fields would cost more the longer a run is. */
  readonly effects: readonly EffectProgress[]
  readonly work: readonly WorkRecord[]
  readonly observed?: KnownTree & {
    readonly seq: Seq
    readonly files: readonly FileChange[]
    readonly filesChanged: number
    /** Set where the agent left the tree that it found. */
    readonly isUntouched?: true
    readonly diff?: TextRef
    readonly lines?: readonly FileLines[]
    readonly suspicions?: readonly Suspicion[]
    readonly likeness?: Likeness
  }
  /** What boxes refused meanwhile, at most `REFUSALS_REMEMBERED_MAX`; absent if nothing. */
  readonly refused?: readonly Refusal[]
  /** The question in an agent's words, if one is asked for that. */
  readonly phrased?: { readonly seq: Seq; readonly text?: string }
  readonly checks: readonly CheckRecord[]
  /** The look at the workspace that made earlier results stale; absent while they hold. Part of the checks' keys. */
  readonly checkRound?: Seq
  /** Why the work is believed, once its checks passed. */
  readonly proof?: Proof & { readonly seq: Seq }
  /** What was installed when that was tried. */
  readonly packages?: TextRef
  /** Something that is not the agent's fault and needs a person. */
  readonly problem?: Problem
  /** What agents ask whose work was put aside for it, until a person answers: one at a time, the first first. Never empty. */
  readonly asked?: readonly PutAside[]
  /** What people answered to it, until that work is done. */
  readonly replies?: readonly AskReply[]
  /** A provider's limit that has to be waited out. */
  readonly limit?: {
    readonly key: EffectKey
    readonly seq: Seq
    readonly retryAt?: Instant
    readonly message: string
    /** What a person could check meanwhile, if it may not pass by itself. */
    readonly fix?: string
    /** Whose it is, where another agent could continue. */
    readonly agent?: string
    readonly isCeiling?: true
  }
  readonly limitWaits: number
  /** When the last wait for a provider was over: an agent that was free again then continues. */
  readonly wokenAt?: Instant
  /** How often its work was under way when its runner died, since a person last looked. Default 0. */
  readonly crashes?: number
  /** The last fact that says so: those that follow it directly tell of the same crash. */
  readonly crashSeq?: Seq
  readonly ended?: { readonly seq: Seq; readonly verdict: Verdict }
  readonly decision?: { readonly seq: Seq; readonly action: DecisionAction }
}

/** Work that was put aside for a question of its agent. */
export interface PutAside {
  readonly seq: Seq
  readonly key: EffectKey
  readonly ask: AgentAsk
  readonly session?: string
}

export interface EffectProgress {
  readonly key: EffectKey
  readonly status: 'open' | 'done'
  readonly seq: Seq
  readonly kind: Effect['kind'] | 'review'
  /** The agent that works, or the check that an agent reviews for. */
  readonly agent?: string
  readonly process?: ProcessIdentity
  /** Whether that agent reports its usage. */
  readonly tellsUsage?: true
}

export interface WorkRecord {
  readonly key: EffectKey
  readonly seq: Seq
  /** Who worked: the driver and its model, `claude opus`; absent if nobody is named. */
  readonly player?: string
  readonly summary?: string
  readonly output?: TextRef
  /** What it said, if known apart from its output. */
  readonly said?: TextRef
  /** Set if its output holds no word of the agent's. */
  readonly saidNothing?: true
  readonly spinning?: Spinning
  /** Why Pawl ended it before the agent was done. */
  readonly endedBy?: Trip
  readonly denied?: Denied
  /** Set when the agent failed; the checks still decide. */
  readonly failed?: Pick<WorkFailed, 'reason' | 'message'>
}

export interface CheckRecord {
  readonly key: EffectKey
  readonly seq: Seq
  readonly name: string
  readonly passed: boolean
  readonly tree: string
  readonly counts?: TestCounts
  readonly failures: readonly Failure[]
  readonly output?: TextRef
  /** Tests that had another result in a second run on the same files. */
  readonly flaky?: readonly string[]
  /** Set for a reviewer's verdict. */
  readonly isReview?: true
}

/** Who could not do its job. */
export type ProblemCode = 'provider' | 'agent' | 'ceiling' | 'committer' | 'runner' | 'check' | 'prepare'

export interface Problem {
  readonly seq: Seq
  readonly key: EffectKey
  readonly code: ProblemCode
  readonly fault: 'environment' | 'config'
  /** The check that could not do its job. */
  readonly check?: string
  /** A program that a check needs is not there. */
  readonly isProgramMissing?: true
  /** The check that asks for something that is not there. */
  readonly missingTargetOf?: string
  readonly message: string
  readonly fix?: string
  /** The agent that cannot work here, where another could continue. */
  readonly agent?: string
}

export interface IterationSummary {
  readonly iteration: number
  readonly seq: Seq
  readonly verdict: Verdict
  readonly tree: string
  readonly filesChanged: number
  /** Set where the agent left every file as it was. */
  readonly isUntouched?: true
  readonly costUsd: number
  readonly durationMs: number
  readonly failures: readonly Failure[]
  /** Paths changed, at most `FILES_REMEMBERED_MAX`. */
  readonly files: readonly string[]
  readonly ledger: LedgerMovement
  /** What the failed checks printed. */
  readonly outputs: readonly { readonly name: string; readonly text: TextRef }[]
  readonly diff?: TextRef
  /** The first lines that the agent changed. */
  readonly lines?: readonly FileLines[]
  /** The same for the same set of failures; empty when nothing failed. */
  readonly fingerprint: string
  readonly likeness?: Likeness
  readonly spinning?: Spinning
  readonly denied?: Denied
  /** What the agent said it did, or why it failed. */
  readonly said?: string
  /** Set when the agent itself failed or ran out of time. */
  readonly agentFailed?: true
  /** How many of the tests that ran at first did not run in it; absent if all did. */
  readonly notRun?: number
  /** Checks that run only before a success, and did not. */
  readonly checksNotRun?: readonly string[]
}

/** A place to come back to. */
export interface Checkpoint {
  readonly checkpoint: string
  readonly seq: Seq
  readonly snapshot: string
  readonly tree: string
  readonly expiresAt: Instant
}

export interface OpenQuestion {
  readonly seq: Seq
  readonly question: Question
  readonly trips: readonly Trip[]
  readonly review?: { readonly key: EffectKey; readonly name: string }
}

/** How many finished iterations the state remembers one by one. */
export const RECENT_MAX = 20

/** How many changed paths a finished iteration remembers. */
export const FILES_REMEMBERED_MAX = 20

/** How many checkpoints a run has at once; the oldest are no longer offered. */
export const CHECKPOINTS_MAX = 50

/** How many notes of people are kept for the briefs. */
export const NOTES_MAX = 10

/** Version of this shape; a cached snapshot of another version is thrown away. */
export const STATE_VERSION = 19

const ZERO: Totals = { costUsd: 0, tokens: 0, activeMs: 0 }

/** A run that `run.started` has just opened. */
export function initialState(run: RunId, seq: Seq, at: Instant, config: RunConfig): State {
  return {
    run,
    seq,
    at,
    startedAt: at,
    status: 'running',
    config,
    given: config,
    current: openIteration(0, seq, ZERO),
    totals: ZERO,
    measures: initialMeasures,
    recent: [],
    workspace: 'known',
    workspaceCause: seq,
    notes: [],
    nudges: [],
    nudged: [],
    waivers: [],
    checkpoints: [],
    message: 'Started.',
  }
}

/** A fresh iteration with nothing done yet. */
export function openIteration(number: number, seq: Seq, totalsAtStart: Totals): Iteration {
  return { number, seq, totalsAtStart, effects: [], work: [], checks: [], limitWaits: 0 }
}

/** The state with another slice of that name. */
export function withSlice<Name extends keyof Slices>(state: State, name: Name, slice: NonNullable<Slices[Name]>): State {
  return { ...state, slices: { ...state.slices, [name]: slice } }
}

/** The state in which this effect is finished: a loop's fold calls it for the event that ends one of the loop's own effects. */
export function withEffectDone(state: State, { key, kind }: Pick<Effect, 'key' | 'kind'>, seq: Seq): State {
  const effects = state.current.effects.filter((effect) => effect.key !== key)
  return { ...state, current: { ...state.current, effects: [...effects, { key, status: 'done', seq, kind }] } }
}

/** Whether the effect of this key has begun in the present iteration and has not come to its end. */
export function isOpen({ current }: State, key: EffectKey): boolean {
  return current.effects.some((effect) => effect.key === key && effect.status === 'open')
}

/** Whether the effect of this key has come to its end in the present iteration. */
export function isDone({ current }: State, key: EffectKey): boolean {
  return current.effects.some((effect) => effect.key === key && effect.status === 'done')
}

/** The state with something changed in the iteration under way. */
export function withCurrent(state: State, change: Partial<Iteration>): State {
  return { ...state, current: { ...state.current, ...change } }
}

/** What a person answered to a question about what is right: it is held to when the question comes again. */
export interface GivenAnswer {
  readonly choice: string
  readonly label: string
  readonly note?: string
  /** What each option would have settled, or told the agent: a question that would settle the same is the same one. */
  readonly about: readonly string[]
}

/** An agent that works in the place of another, which cannot work now. */
export interface StandIn {
  /** Who is replaced, in whatever role. */
  readonly agent: string
  readonly by: string
  /** When it may work again; absent while nobody knows of a way: it is not installed, or its log-in is refused. */
  readonly until?: Instant
  readonly seq: Seq
}

export type RunStatus = 'running' | 'waiting' | 'escalated' | 'paused' | 'completed' | 'stopped' | 'aborted'

/** The best iteration so far: a later one counts only when it is better. */
export interface BestIteration {
  readonly iteration: number
  readonly score: number
  readonly passed: boolean
  readonly tree: string
  readonly snapshot: string
  readonly seq: Seq
}

/** The session in which an agent last worked in a role. */
export interface RoleSession {
  readonly role: string
  /** Another agent in the same role cannot continue it. */
  readonly agent: string
  readonly id: string
  /** What it had used in all when the agent last said so. */
  readonly used?: Usage
  readonly unsettled?: Unsettled
}

/** How many pieces of work ended without a cost, and without all of their tokens. */
export interface UnknownWork {
  readonly unpriced: number
  readonly uncounted: number
}

/** One of several things that a run brings about one after the other; `index` and `count` are its place among them. */
export interface Unit {
  readonly id: string
  readonly index: number
  readonly count: number
  /** The number of its first iteration: attempts are counted for each unit. */
  readonly firstIteration: number
  /** Names of checks that are for other units only. Default: none. */
  readonly otherChecks?: readonly string[]
}
