import { describeOutcome, failuresOf, type CheckOutcome } from './check-outcome.ts'

/** `helped`: something was kept, or nothing was wrong. `aborted`: the signal came; the bytes are back. */
export interface TinkerResult {
  readonly status: 'helped' | 'nothing-helped' | 'aborted'
  readonly summary: string
}

export interface CallEnd {
  /** How the check ends on the tree as it is left. */
  readonly outcome: CheckOutcome
  readonly kept: readonly string[]
  readonly triesCount: number
  /** Why nothing more was tried, where the check does not pass. */
  readonly why?: string
}

/** What a call came to, in one line. */
export function summarise({ outcome, kept, triesCount, why }: CallEnd): TinkerResult {
  const state = [describeOutcome(outcome) + failingNames(outcome), ...(why ? [why] : [])].join('; ')
  if (kept.length > 0) return { status: 'helped', summary: `kept ${kept.join(', ')} after ${triesCount} tries: ${state}` }
  if (outcome.passed) return { status: 'helped', summary: `nothing to do: ${state}` }
  return { status: 'nothing-helped', summary: `nothing helped in ${triesCount} tries: ${state}` }
}

const NAMES_MAX = 3

function failingNames(outcome: CheckOutcome): string {
  const { passed, failed } = outcome.report?.counts ?? { passed: 0, failed: 0 }
  // A single failure is the check itself, or as good as.
  if (outcome.passed || passed + failed <= 1) return ''
  const names = failuresOf(outcome).map(({ id }) => id)
  if (names.length === 0) return ''
  const more = names.length > NAMES_MAX ? `; ${names.length - NAMES_MAX} more` : ''
  return ` (${names.slice(0, NAMES_MAX).join('; ')}${more})`
}
