import type { State } from '../../core/state.ts'
import type { Verdict } from '../../core/verdict.ts'
import { researchOf } from './research-iteration.ts'

/** What an iteration of research scores: the mean of how far each criterion is met, so that guards see whether it gets better. */
export function researchVerdict(state: State): Verdict {
  const measured = researchOf(state).convergences.at(-1)
  const criteria = measured?.criteria ?? []
  const failing = criteria.filter(({ passed }) => !passed).length
  const reached = criteria.map(({ value, threshold, passed }) =>
    passed ? 1 : threshold === 0 ? 0 : Math.min(value / threshold, threshold / value),
  )
  const score = criteria.length === 0 ? 0 : reached.reduce((sum, share) => sum + share, 0) / criteria.length
  const passed = measured?.status === 'FULL'
  return { passed, score: passed ? 1 : Math.min(score, SCORE_FAILED_MAX), failing }
}

/** What has not converged never scores as what has. */
const SCORE_FAILED_MAX = 0.999
