import type { Seq } from './event.ts'
import type { Question } from './question.ts'
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
export interface Outcome {
  readonly run: string
  readonly status: RunStatus
  readonly message: string
  readonly iterations: number
  readonly costUsd: number
  readonly tokens: number
  /** Time at work; waiting for a person or a provider does not count. */
  readonly activeMs: number
  readonly trips: readonly Trip[]
  readonly question?: Question
  readonly best?: BestIteration
}
