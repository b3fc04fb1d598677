import { duration, iterationNoun } from '../core/wording.ts'
import type { RunView } from './run-view.ts'
import { spentWords } from './spent.ts'

/**
 * What a run took: "3 iterations, 2 min 4 s at work, $0.12, 34,120 tokens". What nobody tells is not said, unless something was used that
 * would have been told. An iteration that only waits for its review is used.
 */
export function usedWords({ totals, iterationsDone, best }: Pick<RunView, 'totals' | 'iterationsDone' | 'best'>): string {
  return [
    iterationNoun(iterationsDone + (best?.isInReview ? 1 : 0)),
    `${duration(totals.activeMs)} at work`,
    ...spentWords(totals),
  ].join(', ')
}
