import { type Effect, effectKey } from '../../core/effect.ts'
import { attemptNumber, currentItem } from '../../core/plan.ts'
import type { State } from '../../core/state.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { WholeReviewSettings } from './review-settings.ts'

/** The committer: where it is asked for, every finished item is a commit on the run's own branch. */
export function reviewSeals({ commits }: WholeReviewSettings, state: State): readonly Effect[] {
  const { plan, run, current, review } = state
  const item = currentItem(plan)
  if (!commits || !item) return []
  const iteration = current.number
  const message = [
    shortened(item.goal, TITLE_LENGTH_MAX),
    '',
    `Item ${item.id} of run ${run}, by ${review?.coder ?? 'nobody'}, in ${counted(attemptNumber(plan, iteration), 'iteration')}.`,
  ].join('\n')
  return [{ kind: 'commit', key: effectKey(iteration, 'commit'), iteration, item: item.id, branch: `pawl/${run}`, message }]
}

const TITLE_LENGTH_MAX = 72
