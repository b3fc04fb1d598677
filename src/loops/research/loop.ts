import type { JsonObject } from '../../core/json.ts'
import type { Loop } from '../../core/loop.ts'
import { researchConclusions } from './conclusions.ts'
import { decideResearch } from './decide.ts'
import { researchFold } from './fold.ts'
import { researchEffects } from './effects.ts'
import { type ResearchSettings, wholeResearchSettings } from './settings.ts'
import { researchVerdict } from './progress.ts'

/**
 * Research on a codebase, iteration by iteration, until what was found converges: gaps are found, specialists are sent for them, every citation is verified, and
 * the end is `FULL` or `PARTIAL` for reasons in numbers.
 *
 * @part research
 */
export function researchLoop(settings: ResearchSettings): Loop {
  const whole = wholeResearchSettings(settings)
  return {
    spec: { name: 'research', v: 1, settings: whole as unknown as JsonObject },
    concludes: (state) => researchConclusions(whole, state),
    effects: (state) => researchEffects(whole, state),
    verdict: researchVerdict,
    fold: researchFold,
    performers: () => import('./perform.ts').then(({ researchPerformers }) => researchPerformers),
    decide: (state, trips) => decideResearch(whole, state, trips),
  }
}
