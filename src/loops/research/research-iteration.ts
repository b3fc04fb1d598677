import { initialResearch, type ResearchProgress } from './research-progress.ts'
import type { State } from '../../core/state.ts'
import type { WholeResearchSettings } from './research-settings.ts'

/** The progress of a research loop, also before its first fact. */
export function researchOf({ slices }: State): ResearchProgress {
  return slices?.research ?? initialResearch
}

/** The iteration under way, counted on from the checkpoint where the run goes on from one. */
export function researchIterationOf(state: State): number {
  return (researchOf(state).iterationsBefore ?? 0) + state.current.number
}

/** The last iteration allowed: the settings' or the strategy's maximum, and the guard's where that is less, counted on from a checkpoint. */
export function iterationsMaxOf(settings: WholeResearchSettings, state: State): number {
  const own =
    settings.iterationsMax ?? researchOf(state).strategy?.iterationsMax ?? settings.strategies.comprehensive.iterationsMax
  const guard = state.config.guards.find(({ name }) => name === 'maxIterations')?.settings['iterationsMax']
  const before = researchOf(state).iterationsBefore ?? 0
  return before + (typeof guard === 'number' ? Math.min(own, guard) : own)
}
