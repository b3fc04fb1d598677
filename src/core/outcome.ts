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

/** Where a run stands, and why. */
export interface Outcome extends Spent {
  readonly run: string
  readonly status: RunStatus
  readonly message: string
  readonly iterations: number
  readonly trips: readonly Trip[]
  readonly question?: Question
  readonly best?: BestIteration
}
