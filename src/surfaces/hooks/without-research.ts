import type { Event } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { ResearchEventData } from '../../core/research/research-events.ts'
import type { State } from '../../core/state.ts'

/**
 * Stands in the hook's own bundle for `core/evolve-research.ts`: a session that works on files is never bound to research, and an agent
 * waits for this code to be loaded at every step. The same names; whatever is not about research stays as it is.
 */
export const researchHandlers = Object.fromEntries(
  (
    [
      'question.extracted',
      'question.answered',
      'strategy.chosen',
      'coverage.estimated',
      'specialist.assigned',
      'answer.read',
      'answer.refused',
      'citation.verified',
      'citation.refuted',
      'finding.recorded',
      'finding.merged',
      'conflict.raised',
      'conflict.nominated',
      'conflict.dismissed',
      'conflict.resolved',
      'findings.integrated',
      'gap.found',
      'gap.closed',
      'gap.deferred',
      'gap.unresolved',
      'convergence.measured',
      'checkpoint.imported',
    ] satisfies readonly (keyof ResearchEventData)[]
  ).map((type) => [type, refused]),
)

/** The iteration began. */
export function researchIteration(state: State): State {
  return state
}

/** The work failed. */
export function researchFailed(state: State): State {
  return state
}

/** The files were looked at. */
export function researchObserved(_before: State, state: State): State {
  return state
}

/** The files were put back. */
export function researchRestored(state: State): State {
  return state
}

function refused(state: State, { type }: Event): never {
  throw new PawlError(
    'hook.research',
    `Run ${state.run} is research (${type}), which no session is bound to: see pawl show ${state.run}.`,
  )
}
