import { duration, iterationNoun } from '../../../core/wording.ts'
import type { RunView } from './run-view.ts'
import { costWords, tokensWords } from './spent.ts'

/** What a run took: "3 iterations, 2 min 4 s at work, $0.12, 34,120 tokens". What is not known is not said. */
export function usedWords({ totals, iterationsDone }: Pick<RunView, 'totals' | 'iterationsDone'>): string {
  return [
    iterationNoun(iterationsDone),
    `${duration(totals.activeMs)} at work`,
    ...costWords(totals),
    ...tokensWords(totals),
  ].join(', ')
}
