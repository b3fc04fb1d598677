import type { Guard } from '../core/guard.ts'
import { freshIterations } from '../core/measures/fresh-iterations.ts'
import { hasSameTests, lastAlike } from '../core/patterns/attempts.ts'
import { type OptionKinds, SEVERITY } from '../core/option-kinds.ts'
import { requireOptions } from '../core/require-options.ts'
import { requireIntegerAtLeast } from '../core/require.ts'
import type { IterationSummary, State } from '../core/state.ts'
import type { Severity } from '../core/trip.ts'
import { counted } from '../core/wording.ts'

export interface NoProgressOptions {
  /** Iterations in a row that end with the same score and the same tests failing. Default 4. */
  readonly iterationsMin?: number
  /** Default `warn`: the agent is told; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the files change in iteration after iteration, and the score and the set of failing tests do not. Where a check only says
 * that it failed, another message counts as progress.
 *
 * @part noProgress
 */
export function noProgress(options: NoProgressOptions = {}): Guard {
  requireOptions('noProgress', options, OPTIONS)
  const { iterationsMin = 4, severity = 'warn' } = options
  requireIntegerAtLeast('noProgress', 'iterationsMin', iterationsMin, 2)
  return {
    spec: { name: 'noProgress', v: 1, severity, settings: { iterationsMin } },
    inspect: (state) => {
      const fresh = freshIterations(state)
      const last = fresh.at(-1)
      if (fresh.length < iterationsMin || !last || last.verdict.passed) return []
      const isCoarse = saysOnlyThatItFailed(state)
      const stuck = lastAlike(fresh, (later, earlier) => isSameStanding(later, earlier, isCoarse))
      if (stuck.length < iterationsMin) return []
      const to = stuck.length + iterationsMin
      const { score, failing } = last.verdict
      return [
        {
          guard: 'noProgress',
          severity,
          message: `${stuck.length} iterations changed the files, and none changed the outcome: ${counted(failing, 'failure')}, the same ones.`,
          evidence: {
            facts: stuck.slice(-FACTS_MAX).map((iteration) => iteration.seq),
            measures: { iterations: stuck.length, iterationsMin, score: Number(score.toFixed(3)), failing },
          },
          hint: 'One test fewer or more that fails would have let it go on: find out first whether the edited code runs at all in the failing test.',
          raise: { guard: 'noProgress', setting: 'iterationsMin', to, label: `up to ${to} iterations with the same outcome` },
        },
      ]
    },
  }
}

const OPTIONS: OptionKinds<NoProgressOptions> = { iterationsMin: true, severity: SEVERITY }

const FACTS_MAX = 10

function isSameStanding(later: IterationSummary, earlier: IterationSummary, isCoarse: boolean): boolean {
  if (later.tree === earlier.tree || later.verdict.score !== earlier.verdict.score) return false
  // Where nothing is said about what failed, nobody knows whether it is the same.
  const isSameMessage = later.fingerprint !== '' && later.fingerprint === earlier.fingerprint
  return isSameMessage || (!isCoarse && hasSameTests(later, earlier))
}

function saysOnlyThatItFailed({ current }: State): boolean {
  return current.checks.every((check) => check.passed || check.counts === undefined)
}
