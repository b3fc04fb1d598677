import { attemptNumber } from '../../core/unit.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { EventData } from '../../core/event-data.ts'
import type { Fact } from '../../core/event.ts'
import { currentItem } from '../shared/plan.ts'
import { initialReview, type ReviewProgress } from './progress.ts'
import type { State } from '../../core/state.ts'
import type { WholeReviewSettings } from './review-settings.ts'

/** Who repairs an environment in which the tests cannot run. */
const REPAIRER = 'repairer'

/** Puts somebody to work in the iteration that has begun, and says why it is they. */
export function assignment(settings: WholeReviewSettings, state: State): Fact {
  const { slices: { plan } = {}, current } = state
  const review = state.slices?.review ?? initialReview
  const from = review.assigned?.to ?? review.coder
  const chosen = chosenFor(settings, state, review)
  return concluded(
    state,
    LOOP,
    'role.assigned',
    {
      item: currentItem(plan)?.id ?? '',
      iteration: current.number,
      reworkCycle: review.reworks.length,
      ...(from === undefined ? {} : { from }),
      ...chosen,
    },
    review.tested?.seq ?? review.judged?.seq,
  )
}

type Chosen = Pick<EventData['role.assigned'], 'role' | 'trigger' | 'to' | 'reason'>

function chosenFor(
  settings: WholeReviewSettings,
  { slices: { plan } = {}, unit, current }: State,
  review: ReviewProgress,
): Chosen {
  if (review.tested?.outcome === 'environment') {
    const count = `repair ${review.environmentRepairs + 1} of at most ${settings.environmentRepairsMax}`
    const reason = `The tests could not run properly (${count}): ${review.tested.trouble ?? 'it is not known why.'}`
    return { role: 'repairer', trigger: 'repair', to: REPAIRER, reason }
  }
  if (attemptNumber(unit, current.number) > 1) {
    const { alternatesOnRework } = settings
    const to = alternatesOnRework ? nextCoder(settings, review) : (review.coder ?? firstCoder(settings))
    return { role: 'coder', trigger: 'rework', to, reason: `${reworkReason(review)}${turns(settings, alternatesOnRework)}` }
  }
  if (plan === undefined || plan.index < 1)
    return { role: 'coder', trigger: 'item_start', to: firstCoder(settings), reason: 'The first item begins.' }
  const reason = `Item ${plan.index + 1} of ${plan.items.length} begins${turns(settings, true)}`
  return { role: 'coder', trigger: 'item_advance', to: nextCoder(settings, review), reason }
}

function reworkReason({ tested, judged, reworks }: ReviewProgress): string {
  if (tested?.outcome === 'failed') return 'The tests fail'
  if (judged && judged.route !== 'APPROVE' && reworks.length > 0) return `Rework cycle ${reworks.length}, ${judged.route}`
  return 'It is tried again'
}

function turns({ coders }: WholeReviewSettings, isTurn: boolean): string {
  return isTurn && coders.length > 1 ? '; the coders take turns.' : '.'
}

function firstCoder({ coders }: WholeReviewSettings): string {
  return coders[0] ?? ''
}

/** The one after the coder who worked last. */
function nextCoder({ coders }: WholeReviewSettings, { coder = '' }: ReviewProgress): string {
  return coders[(coders.indexOf(coder) + 1) % coders.length] ?? ''
}
