import { feedbackFrom } from '../shared/feedback.ts'
import { attemptNumber } from '../../core/unit.ts'
import { currentItem } from '../shared/plan.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { briefOf, bullets, PERSON_SAID, section } from '../shared/brief-sections.ts'
import { checkLines, untouchable, warnings } from '../task/brief.ts'
import { lessonLines } from './assignment.ts'
import { REVIEWED } from './round.ts'
import type { WholeReviewSettings } from './settings.ts'

/**
 * What a coder is asked to do: the item, what the last review and the tests ask for, what earlier items taught, what people said, what
 * to take care of and what not to touch. What does not apply is left out.
 */
export function coderBrief(settings: WholeReviewSettings, state: State): string {
  const { slices: { plan, review } = {}, notes, recent } = state
  const item = currentItem(plan)
  const isRework = recent.length > 0
  const { items, itemsLeftOut } = feedbackFrom(state, settings.feedbackLengthMax)
  const more = itemsLeftOut > 0 ? [`and ${itemsLeftOut} more of the reviews and tests, left out here`] : []
  return briefOf([
    section('Goal', goalLines(settings, state)),
    section('Where this stands', standing(state)),
    section('What has to be mended', isRework ? bullets([...items, ...more]) : ''),
    section('Learned in earlier items', bullets(lessonLines(review?.lessons ?? [], item?.id))),
    section(PERSON_SAID, bullets(notes)),
    section('Take care', bullets(warnings(state))),
    section('Do not change', bullets(untouchable(state))),
    section('How your work is judged', bullets(checkLines(state, REVIEWED))),
  ])
}

/** What the repairer is asked: to make the tests run, and nothing else. */
export function repairBrief(settings: WholeReviewSettings, state: State): string {
  return briefOf([
    section(
      'Your task',
      [
        'The tests cannot run properly here, which is nobody’s mistake in the code. Make them run: install what is missing, start what',
        'has to run, mend the configuration. Do not change the code or the tests to get round it.',
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
