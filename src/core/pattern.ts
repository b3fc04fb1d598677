import { agentFailed } from './patterns/agent-failed.ts'
import { alternatingFailures } from './patterns/alternating-failures.ts'
import { fixedOneBrokeAnother } from './patterns/fixed-one-broke-another.ts'
import { formatMismatch, isAboutFormat } from './patterns/format-mismatch.ts'
import { gettingBetter } from './patterns/getting-better.ts'
import { nothingChanged } from './patterns/nothing-changed.ts'
import { sameFailureAgain } from './patterns/same-failure-again.ts'
import { sameFileEveryTime } from './patterns/same-file-every-time.ts'
import { sameTestsOtherMessage } from './patterns/same-tests-other-message.ts'
import type { State } from './state.ts'

export type PatternKind =
  | 'format-mismatch'
  | 'agent-failed'
  | 'nothing-changed'
  | 'alternating-failures'
  | 'fixed-one-broke-another'
  | 'same-failure'
  | 'same-tests-other-message'
  | 'getting-better'
  | 'same-file-every-time'

/** What the attempts have in common, with what shows it. */
export interface Pattern {
  readonly kind: PatternKind
  /** One sentence or two, for a person. */
  readonly message: string
  readonly evidence: {
    readonly iterations: readonly number[]
    /** Names of the tests concerned; at most ten. */
    readonly tests: readonly string[]
    readonly files: readonly string[]
  }
}

/**
 * The most telling pattern over the attempts; `undefined` where they are too few or show none. A disagreement about a format comes
 * first where it is what stands in the way, since it is a question only a person can answer; then what keeps any work from being done;
 * then what says most about why the work does not succeed.
 */
export function patternOf(state: State): Pattern | undefined {
  return (isAboutFormat(state) ? formatMismatch(state) : undefined) ?? workPattern(state)
}

/** The same, with no thought of what the disagreement is about: where it is not the work that ended the attempts but a limit. */
export function workPattern(state: State): Pattern | undefined {
  for (const detect of DETECTORS) {
    const pattern = detect(state)
    if (pattern) return pattern
  }
  return undefined
}

const DETECTORS: readonly ((state: State) => Pattern | undefined)[] = [
  agentFailed,
  nothingChanged,
  alternatingFailures,
  fixedOneBrokeAnother,
  sameFailureAgain,
  sameTestsOtherMessage,
  gettingBetter,
  sameFileEveryTime,
]
