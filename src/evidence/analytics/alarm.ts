import type { Seq } from '../../core/event.ts'
import type { Trip } from '../../core/trip.ts'

/** A trip that stood in a run's way, and what became of it. */
export interface Alarm {
  readonly run: string
  readonly guard: string
  /** The `escalation.raised` or `run.stopped` it led to. */
  readonly seq: Seq
  readonly iteration: number
  readonly threshold?: Threshold
  /** Set for a guard that had warned first. */
  readonly isLadder?: true
  readonly judgement: Judgement
  /** Iterations it took from there to a verified success. */
  readonly iterationsToSuccess?: number
  /** Iterations that the run's maximum still allowed; absent where there is none. */
  readonly iterationsLeft?: number
  /** What an iteration of the run cost, on average. */
  readonly costUsdEach: number
}

/**
 * `false`: a person said so, or let the run go on without a word of help, and it succeeded. `true`: the run did not succeed, or only
 * with help. `open`: not known yet.
 */
export type Judgement = 'false' | 'true' | 'open'

/** What a guard counted, and the setting it compared that with. */
export interface Threshold {
  readonly setting: string
  readonly is: number
  readonly counted: number
}

/** The threshold of a trip, where raising a number would have let the run go on: `repeatsMin` is what `repeats` is compared with. */
export function thresholdOf({ raise, evidence }: Trip): Threshold | undefined {
  if (!raise) return undefined
  const { setting } = raise
  const is = evidence.measures[setting]
  const counted = evidence.measures[setting.replace(/(?:Min|Max)$/, '')]
  return typeof is === 'number' && typeof counted === 'number' ? { setting, is, counted } : undefined
}
