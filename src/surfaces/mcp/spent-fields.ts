import { z } from 'zod'
import { spentOf, totalsSoFar } from '../../core/spending.ts'
import type { State } from '../../core/state.ts'

/** What a run took, for the result of a tool. What no agent told is not there. */
export const spentFields = {
  costUsd: z.number().optional(),
  /** Some of the work has no known cost: it was more, or nobody knows how much. */
  isCostPartial: z.literal(true).optional(),
  tokens: z.number().optional(),
  /** Some of the work told no tokens, or not all: it took more, or nobody knows how many. */
  areTokensPartial: z.literal(true).optional(),
}

/** The same of a run. */
export function spentView(state: State): z.input<z.ZodObject<typeof spentFields>> {
  const { activeMs: _not, ...spent } = spentOf(totalsSoFar(state))
  return spent
}
