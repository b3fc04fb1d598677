import { PawlError } from '../../core/pawl-error.ts'
import type { ReviewRoute } from './progress.ts'

export interface ReworkCase {
  readonly verdict: 'approve' | 'rework'
  /** How many reviews of the item asked for rework, the present one included. */
  readonly reworkCycle: number
  /** How much the work is like what it was a pass ago, 0..1; `undefined` where there is nothing to compare. */
  readonly similarity?: number | undefined
  readonly limits?: Partial<ReworkLimits>
}

export interface ReworkLimits {
  /** From this rework cycle on the tester decides. Default 3. */
  readonly reworkCyclesMax: number
  /** From this likeness on the coder has stopped moving. Default 0.97. */
  readonly similarityMin: number
  /** From which rework cycle on likeness counts. Default 2. */
  readonly convergenceCyclesMin: number
}

/** The limits that hold where nothing is said. */
export const REWORK_LIMITS: ReworkLimits = { reworkCyclesMax: 3, similarityMin: 0.97, convergenceCyclesMin: 2 }

/**
 * Where the work goes after a review: the first row that applies. Total: every case has a route. An unknown likeness never
 * converges, and neither does one that is no number.
 */
export function routeRework({ verdict, reworkCycle, similarity, limits }: ReworkCase): ReviewRoute {
  if (verdict !== 'approve' && verdict !== 'rework')
    throw new PawlError('loop.review.verdict', `routeRework: verdict must be approve or rework, not ${String(verdict)}.`, {
      value: verdict,
    })
  const known = { verdict, reworkCycle, similarity, ...REWORK_LIMITS, ...limits }
  return ROUTES.find(({ applies }) => applies(known))?.route ?? 'CODING'
}

type Known = Omit<ReworkCase, 'limits'> & ReworkLimits

const ROUTES: readonly { readonly route: ReviewRoute; readonly applies: (known: Known) => boolean }[] = [
  { route: 'APPROVE', applies: ({ verdict }) => verdict === 'approve' },
  { route: 'ESCALATE_TESTING', applies: ({ reworkCycle, reworkCyclesMax }) => reworkCycle >= reworkCyclesMax },
  { route: 'ESCALATE_CONVERGENCE', applies: hasConverged },
  { route: 'REWORK_VIA_TESTER', applies: ({ reworkCycle }) => reworkCycle >= 2 },
]

function hasConverged({ reworkCycle, similarity, similarityMin, convergenceCyclesMin }: Known): boolean {
  return reworkCycle >= convergenceCyclesMin && similarity !== undefined && similarity >= similarityMin
}
