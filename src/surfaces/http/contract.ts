import type { SealedEvent } from '../../stores/store.ts'
import type { Provenance } from '../../loops/review/index.ts'
import type { ProvenanceRecord } from '../../present/provenance.ts'
import type { RunListRow } from '../../present/run-list.ts'
import type { RunDetail } from '../../present/run-detail.ts'
import type { Spent } from '../../core/spending.ts'
import type { Statistics } from '../../evidence/statistics.ts'

/*
 * What the API under `/api/v1` answers with. The page and `pawl/client` import these types; most of them are view models of `present`,
 * the same that the terminal draws. docs/surfaces/http.md lists the addresses.
 */

export type { DiffFileView, DiffView, FilePatch } from '../../present/diff-view.ts'
export type { GridRow, GridView, TestFate } from '../../present/grid-view.ts'
export type { GuardView, Nearness } from '../../present/guard-view.ts'
export type {
  CheckView,
  EventView,
  ExplainedDecision,
  IterationDetail,
  TextView,
  WorkView,
} from '../../present/iteration-detail.ts'
export type { ComparedRun, Comparison } from '../../present/comparison.ts'
export type { CommandView, Gap, IterationShort, RunDetail } from '../../present/run-detail.ts'
export type { RunListRow } from '../../present/run-list.ts'
export type { ResearchResult } from '../../loops/research/index.ts'

/** `GET /runs`: a page of runs, those that wait for you first. */
export interface RunListPage {
  readonly items: readonly RunListRow[]
  /** What `cursor` takes for the next page. */
  readonly next?: string
  /** How many runs of the project wait for you. */
  readonly waiting: number
  /** How many runs the filters find. */
  readonly total: number
  /** How many runs the server hasn't read yet, just after an upgrade; absent if it has read all. */
  readonly unread?: number
}

/** `GET /runs/RUN`. */
export interface RunAnswer extends RunDetail {
  /** Whether a process drives it now. */
  readonly isHeld: boolean
  /** The last lines of what the agent does now. */
  readonly activity?: readonly string[]
}

/** `GET /runs/RUN/events`: the same events as `pawl log RUN --json`. */
export interface EventsPage {
  readonly events: readonly SealedEvent[]
  /** What `after` takes for the next page. */
  readonly next?: number
}

/** `GET /stream`: a run that is new or changed. The event `remove` has `{ run }` only. */
export interface RunChanged {
  readonly row: RunListRow
  readonly waiting: number
}

/** `GET /runs/RUN/review`: who did what, as lanes of roles and in the order of the journal. */
export interface ReviewView extends Provenance {
  readonly run: string
  readonly records: readonly ProvenanceRecord[]
}

/** `GET /stats`. */
export interface StatsView extends Omit<Statistics, 'proposals'> {
  /** What all runs together took. */
  readonly spent: Spent
  readonly byAgent: readonly AgentOutcomes[]
  /** By the day on which the runs began, the oldest first. */
  readonly byDay: readonly DayOutcomes[]
}

export interface Outcomes {
  readonly runs: number
  readonly completed: number
  readonly stopped: number
  readonly aborted: number
  /** Absent if no cost is known. */
  readonly costUsd?: number
  /** Set if the cost of some runs is unknown: it was more. */
  readonly isCostPartial?: true
}

export interface AgentOutcomes extends Outcomes {
  readonly agent: string
  readonly model?: string
}

export interface DayOutcomes extends Outcomes {
  /** 2026-11-18, in UTC. */
  readonly day: string
}

/** `GET /session`: who you are here, and what this server can do. */
export interface SessionView {
  readonly version: string
  /** The folder's name. */
  readonly project: string
  /** Whether the server starts and resumes runs (`pawl serve --drive`). */
  readonly canDrive: boolean
  /** The name of your device; absent for a client with the server's own token. */
  readonly device?: string
}

/** `POST /devices/code`: lets one more device in, once. */
export interface PairingView {
  readonly code: string
  /** The page that takes the code, and the same as a QR code. */
  readonly url: string
  readonly svg: string
  readonly expiresAt: number
}

/** `GET /push`, `POST /push`: notices to a browser, also while its page is closed. */
export interface PushView {
  /** The `applicationServerKey` of a subscription. */
  readonly key: string
  /** Whether this device gets notices. */
  readonly isOn: boolean
}

/** Every error, as `application/problem+json`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  /** What happened and how to fix it. */
  readonly detail: string
  /** A stable code, such as `run.unknown`. */
  readonly code: string
  /** On 409 of an answer: the one that was taken. */
  readonly answer?: TakenAnswer
}

/** The answer that a question has got. */
export interface TakenAnswer {
  readonly at: number
  readonly by: string
  readonly choice: string
  readonly label: string
  readonly note?: string
}

/** `POST /runs/RUN/answer`. */
export interface AnswerRequest {
  /** The number or name of an option, or words for the agent. */
  readonly choice: string
  readonly note?: string
  /** The question you saw, by its `seq`: another one isn't answered. */
  readonly question?: number
  /** With `choice: "false-alarm"`: only this guard was wrong. */
  readonly guard?: string
  /** Resume the run as well (`pawl serve --drive`). */
  readonly resume?: boolean
}

export interface AnswerResult {
  readonly run: string
  readonly choice: string
  readonly label?: string
  /** What happens next, in a sentence. */
  readonly follows: string
  /** Set if a process drives the run now because of this request. */
  readonly isResumed?: true
}

/** `POST /runs/RUN/resume`, `POST /runs`. */
export interface StartResult {
  readonly run: string
  readonly pid: number
}

/** `POST /runs`. */
export interface StartRequest {
  readonly goal: string
  readonly id?: string
  readonly agent?: string
  readonly checks?: readonly string[]
  readonly maxIterations?: number
  readonly budgetUsd?: number
  readonly worktree?: boolean
}

/** `POST /runs/RUN/resume`. */
export interface ResumeRequest {
  readonly maxIterations?: number
  readonly budgetUsd?: number
  /** A guard that may be passed once. */
  readonly waive?: string
}

/** `POST /runs/RUN/restore`. */
export interface RestoreRequest {
  /** An iteration, 0 for the start, or a saved tree such as `saved-1`. Default: the best iteration. */
  readonly tree?: string
}

/** `GET /devices`. */
export interface DeviceView {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly lastSeenAt: number
  /** Whether it is the one you use. */
  readonly isThis: boolean
}
