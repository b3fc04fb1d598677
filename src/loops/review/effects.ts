import {
  afterTests,
  goalNow,
  hasAccepted,
  isToBeReviewed,
  observeKey,
  REVIEWED,
  reviewEffects,
  testEffects,
  turnIn,
} from './round.ts'
import { type Effect, effectKey, type EffectOf } from '../../core/effect.ts'
import { currentItem } from '../shared/plan.ts'
import type { ReviewRole } from './progress.ts'
import { stage } from '../../core/loop.ts'
import { isDone, type State } from '../../core/state.ts'
import { checkLines, reviewBrief, untouchable, warnings } from '../task/brief.ts'
import { wholeSettings } from '../task/settings.ts'
import type { Contracts } from './contracts.ts'
import { planningEffects } from './planning.ts'
import type { WholeReviewSettings } from './settings.ts'
import { counted, shortened } from '../../core/wording.ts'
import { attemptNumber } from '../../core/unit.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { briefOf, bullets, flakyLines, PERSON_SAID, section } from '../shared/brief-sections.ts'
import { lessonLines } from './assignment.ts'

/** One pass: the coder, a look at what changed, then the reviewers and the tester in turn; a repair goes to the tester at once. */
export function reviewLoopEffects(settings: WholeReviewSettings, contracts: Contracts, state: State): readonly Effect[] {
  const { slices: { review } = {}, current } = state
  const observe: Effect = { kind: 'observe', key: observeKey(state), iteration: current.number, by: 'agent' }
  if (current.number === 0) {
    const look = stage(state, [observe], startSeals(settings, state))
    return look.length > 0 ? look : planningEffects(settings, state)
  }
  if (review?.assigned?.iteration !== current.number || review.refused) return []
  const work = workEffect(settings, state, review.assigned)
  if (!isDone(state, work.key)) return [work]
  const looked = stage(state, [observe])
  if (looked.length > 0 || current.work.at(-1)?.failed) return looked
  const tests = () => {
    const open = stage(state, ...testEffects(state).map((effect) => [effect]))
    return open.length > 0 ? open : afterTests(state)
  }
  if (isToBeReviewed(state) && !hasAccepted(state, contracts.coderToReview)) return []
  const turn = turnIn(state)
  if (turn === 'reviewers')
    return stage(state, ...reviewEffects(state).map((effect) => [{ ...effect, review: asked(settings, state) }]))
  return turn === 'tester' ? tests() : []
}

function workEffect(
  settings: WholeReviewSettings,
  state: State,
  { role, to }: { readonly role: ReviewRole; readonly to: string },
): Effect & { kind: 'work' } {
  const { number: iteration } = state.current
  const texts = state.recent.at(-1)?.outputs ?? []
  const name = role === 'coder' ? `coder:${to}` : role
  const brief = role === 'coder' ? coderBrief(settings, state) : repairBrief(settings, state)
  const key = effectKey(iteration, name)
  return { kind: 'work', key, iteration, role: name, brief, ...(texts.length === 0 ? {} : { texts }) }
}

/** What a reviewer is asked about: everything that was changed for the item. */
function asked(settings: WholeReviewSettings, state: State): { readonly brief: string; readonly since?: string } {
  const { base } = state
  const brief = reviewBrief(wholeSettings({ goal: goalNow(settings, state) }), state)
  return { brief, ...(base === undefined ? {} : { since: base.snapshot }) }
}

/**
 * Before any work: what was changed and not committed is put on the run's own branch by itself, so that the commits of the items hold
 * what was done for them and nothing else. A branch of that name which is not the run's is refused here, before anybody works.
 */
function startSeals({ commits }: WholeReviewSettings, { run }: State): readonly EffectOf<'commit'>[] {
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

/**
 * What a coder is asked to do: the item, what the last review and the tests ask for, what earlier items taught, what people said, what
 * to take care of and what not to touch. What does not apply is left out.
 */
function coderBrief(settings: WholeReviewSettings, state: State): string {
  const { slices: { plan, review } = {}, notes, recent } = state
  const item = currentItem(plan)
  const isRework = recent.length > 0
  const { items, itemsLeftOut } = feedbackFrom(state, settings.feedbackLengthMax)
  const more = itemsLeftOut > 0 ? [`and ${itemsLeftOut} more of the reviews and tests, left out here`] : []
  return briefOf([
    section('Goal', goalLines(settings, state)),
    section('Where this stands', standing(state)),
    section('What has to be fixed', isRework ? bullets([...items, ...more]) : ''),
    section('Learned in earlier items', bullets(lessonLines(review?.lessons ?? [], item?.id))),
    section('Flaky tests', flakyLines(state)),
    section(PERSON_SAID, bullets(notes)),
    section('Take care', bullets(warnings(state))),
    section('Do not change', bullets(untouchable(state))),
    section('How your work is judged', bullets(checkLines(state, REVIEWED))),
  ])
}

/** What the repairer is asked: to make the tests run, and nothing else. */
function repairBrief(settings: WholeReviewSettings, state: State): string {
  return briefOf([
    section(
      'Your task',
      [
        'The tests cannot run properly here, which is nobody’s mistake in the code. Make them run: install what is missing, start what',
        'has to run, fix the configuration. Do not change the code or the tests to get round it.',
      ].join('\n'),
    ),
    section('What happened', state.slices?.review?.assigned?.reason ?? ''),
    section('The work that is to be tested', goalLines(settings, state)),
    section(PERSON_SAID, bullets(state.notes)),
    section('Do not change', bullets(untouchable(state))),
    section('How it is tested', bullets(checkLines(state, REVIEWED))),
  ])
}

/** With the item, what it is for, and what is done. */
function goalLines({ goal }: WholeReviewSettings, { slices: { plan } = {} }: State): string {
  const item = currentItem(plan)
  if (!plan || !item) return goal
  const type = item.settings?.['type']
  const done = plan.items.slice(0, plan.index).map((each) => shortened(each.goal, 100))
  return [
    `Item ${plan.index + 1} of ${plan.items.length}${typeof type === 'string' ? ` (${type})` : ''}: ${item.goal}`,
    ...(goal === '' ? [] : [`It is part of: ${goal}`]),
    ...(done.length === 0 ? [] : [`Already done, and to be kept working: ${done.join('; ')}.`]),
  ].join('\n')
}

function standing({ slices: { review } = {}, unit, current }: State): string {
  const pass = `This is pass ${attemptNumber(unit, current.number)} at this item.`
  const reworks = review?.reworks.length ?? 0
  const failures = review?.testFailures.length ?? 0
  return [
    pass,
    ...(reworks === 0 ? [] : [`Reviews that asked for rework: ${reworks}.`]),
    ...(failures === 0 ? [] : [`Passes whose tests failed: ${failures}.`]),
  ].join(' ')
}
