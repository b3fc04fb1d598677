import { PawlError } from '../../core/pawl-error.ts'
import type { ReviewRoute } from './progress.ts'
import type { State } from '../../core/state.ts'
import type { WholeReviewSettings } from './settings.ts'

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

/**
 * How much the work on the item is like what it was a pass ago. Nothing changed at all is the same work, 1, unless there is no work
 * yet: an empty diff never converges. By lines, work that differs in more than a few is not alike however long it is.
 */
export function similarityOf({ by }: Pick<WholeReviewSettings, 'by'>, { current, recent, base }: State): number | undefined {
  const { observed } = current
  const before = recent.at(-1)?.tree
  if (!observed || before === undefined) return undefined
  if (observed.tree === before) return base && observed.tree !== base.tree ? 1 : undefined
  const { likeness } = observed
  if (!likeness) return undefined
  if (by === 'characters') return likeness.characters
  return likeness.linesDiffering > LINES_DIFFERING_MAX ? undefined : likeness.lines
}

/** As the guard `stalledDiff` has it. */
const LINES_DIFFERING_MAX = 4
