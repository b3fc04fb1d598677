import { attemptNumber } from '../../core/unit.ts'
import { type EffectOf, effectKey } from '../../core/effect.ts'
import { currentItem } from '../shared/plan.ts'
import type { State } from '../../core/state.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { WholeReviewSettings } from './review-settings.ts'

/**
 * Before any work: what was changed and not committed is put on the run's own branch by itself, so that the commits of the items hold
 * what was done for them and nothing else. A branch of that name which is not the run's is refused here, before anybody works.
 */
export function startSeals({ commits }: WholeReviewSettings, { run }: State): readonly EffectOf<'commit'>[] {
  if (!commits) return []
  const message = [`The state before ${run}`, '', 'What was changed or new and not committed before anybody worked.'].join('\n')
  return [{ kind: 'commit', key: effectKey(0, 'commit'), iteration: 0, item: '', branch: branchOf(run), message }]
}

/** The committer: where it is asked for, every finished item is a commit on the run's own branch. */
export function reviewSeals({ commits }: WholeReviewSettings, state: State): readonly EffectOf<'commit'>[] {
  const { slices: { plan, review } = {}, unit, run, current } = state
  const item = currentItem(plan)
  if (!commits || !item) return []
  const iteration = current.number
  const workers = [review?.coder ?? 'nobody', ...(review?.hasRepaired ? ['the repairer'] : [])].join(' and ')
  const message = [
    shortened(item.goal, TITLE_LENGTH_MAX),
    '',
    `Item ${item.id} of run ${run}, by ${workers}, in ${counted(attemptNumber(unit, iteration), 'iteration')}.`,
  ].join('\n')
  return [{ kind: 'commit', key: effectKey(iteration, 'commit'), iteration, item: item.id, branch: branchOf(run), message }]
}

function branchOf(run: string): string {
  return `pawl/${run}`
}

const TITLE_LENGTH_MAX = 72
