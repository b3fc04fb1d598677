import type { State } from '../../core/state.ts'
import type { WholeReviewSettings } from './review-settings.ts'

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
