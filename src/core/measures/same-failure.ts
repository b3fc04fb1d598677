import type { Seq } from '../event.ts'
import type { Failure } from '../failure.ts'
import { shortened } from '../wording.ts'
import { failureFingerprint } from './fingerprint.ts'

/** How many iterations in a row ended with exactly the same failures. */
export interface SameFailure {
  readonly fingerprint: string
  readonly count: number
  /** Ends of the iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
  /** One of the failures, for the message. */
  readonly example: string
}

const FACTS_MAX = 10

/** Nothing has failed yet. */
export const initialSameFailure: SameFailure = { fingerprint: '', count: 0, facts: [], example: '' }

/** Counts one more iteration; no failures, or others, start the count anew. */
export function measureSameFailure(measure: SameFailure, failures: readonly Failure[], seq: Seq): SameFailure {
  const first = failures[0]
  if (!first) return initialSameFailure
  const fingerprint = failureFingerprint(failures)
  const example = shortened(`${first.id}: ${first.message}`, 200)
  if (fingerprint !== measure.fingerprint) return { fingerprint, count: 1, facts: [seq], example }
  return { fingerprint, count: measure.count + 1, facts: [...measure.facts, seq].slice(-FACTS_MAX), example }
}
