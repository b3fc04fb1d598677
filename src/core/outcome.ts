import type { Seq } from './event.ts'
import type { Question } from './question.ts'
import type { Spent } from './spent-of.ts'
import type { Trip } from './trip.ts'

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

/** Where a run stands, and why. Its `status` says whether there is a question: an `escalated` or `stopped` run has one. */
export type Outcome = EscalatedOutcome | StoppedOutcome | QuietOutcome

/** A run that stands still until a person answers. */
export interface EscalatedOutcome extends OutcomeFigures {
  readonly status: 'escalated'
  readonly question: Question
}

/** A run that ended at a limit; a person may let it go on. */
export interface StoppedOutcome extends OutcomeFigures {
  readonly status: 'stopped'
  readonly question: Question
}

/** Any other run. */
export interface QuietOutcome extends OutcomeFigures {
  readonly status: Exclude<RunStatus, 'escalated' | 'stopped'>
  readonly question?: never
}

interface OutcomeFigures extends Spent {
  readonly run: string
  readonly message: string
  readonly iterations: number
  readonly trips: readonly Trip[]
  readonly best?: BestIteration
}
