import type { Failure } from './failure.ts'

/** How urgent feedback is as a whole: what its most severe failure is. */
export type Priority = 'high' | 'medium' | 'low'

/**
 * What to act on first; a lower number comes first. What keeps other things from running at all, or must never be shipped, before what
 * crashes, before what gives a wrong result, before what is a matter of taste.
 */
export function failureRank({ kind, severity }: Failure): number {
  const index = ORDER.indexOf(kind === 'review' ? (severity ?? 'major') : kind)
  return index === -1 ? ORDER.length : index
}

/** `high` for all that breaks the work, `medium` for what a reviewer asked for, `low` for lint, minor notes and nothing at all. */
export function priorityOf(failures: readonly Failure[]): Priority {
  const rank = Math.min(...failures.map(failureRank), Number.POSITIVE_INFINITY)
  if (rank < ORDER.indexOf('major')) return 'high'
  return rank < ORDER.indexOf('lint') ? 'medium' : 'low'
}

/** Kinds of failures, and of a reviewer's notes the severities; a note without one counts as `major`. */
const ORDER: readonly (Failure['kind'] | NonNullable<Failure['severity']>)[] = [
  'compile',
  'security',
  'environment',
  'critical',
  'exception',
  'timeout',
  'assertion',
  'unknown',
  'major',
  'lint',
  'minor',
]
