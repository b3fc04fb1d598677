import { attemptNumber } from '../../core/unit.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { EventData } from '../../core/event-data.ts'
import type { Fact, Seq } from '../../core/event.ts'
import { currentItem } from '../shared/plan.ts'
import { initialReview, type Lesson, LESSONS_MAX, type ReviewProgress, SUMMARY_LENGTH_MAX } from './progress.ts'
import type { CheckRecord, State } from '../../core/state.ts'
import type { WholeReviewSettings } from './settings.ts'
import { shortened } from '../../core/wording.ts'
import { type Contract, refusalOf } from './contracts.ts'

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
    review.judged && review.judged.seq > (review.tested?.seq ?? 0) ? review.judged.seq : review.tested?.seq,
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

/** What reviews teach: each note that weighs more than a matter of taste as a short rule, unless it is known already. */
export function lessonsFrom(reviews: readonly CheckRecord[], known: readonly Lesson[]): readonly string[] {
  const seen = new Set(known.map(({ rule }) => essence(rule)))
  const rules: string[] = []
  for (const { message, severity } of reviews.flatMap(({ failures }) => failures)) {
    const rule = shortened(message, RULE_LENGTH_MAX)
    if (severity === 'minor' || rule === '' || seen.has(essence(rule))) continue
    seen.add(essence(rule))
    rules.push(rule)
  }
  return rules.slice(0, LEARNED_AT_ONCE_MAX)
}

/** The lessons of other items as lines of a brief, with the item each comes from. */
export function lessonLines(lessons: readonly Lesson[], item: string | undefined): readonly string[] {
  return lessons.filter((lesson) => lesson.item !== item).map((lesson) => `${lesson.rule} (learned in ${lesson.item})`)
}

/** The same rule is the same however it is spaced, cased or ended; a number or a sign in it makes another rule. */
function essence(rule: string): string {
  return rule
    .toLowerCase()
    .replaceAll(/[\s"'`“”‘’]+/gu, ' ')
    .replaceAll(/[.,;:!?]+(?= |$)/gu, '')
    .trim()
}

const RULE_LENGTH_MAX = 160
const LEARNED_AT_ONCE_MAX = LESSONS_MAX

/** What somebody's work came to, on record once. */
export function output(state: State, review: ReviewProgress, work: State['current']['work'][number]): Fact {
  const { role = 'coder', to = '' } = review.assigned ?? {}
  const data = {
    item: itemOf(state),
    iteration: state.current.number,
    reworkCycle: review.reworks.length,
    role,
    coder: to,
    summary: shortened(work.summary ?? '', SUMMARY_LENGTH_MAX),
    ...(work.failed ? { failed: shortened(work.failed.message, SUMMARY_LENGTH_MAX) } : {}),
  } as const
  return concluded(state, LOOP, 'pass.recorded', data, work.seq)
}

/** The handoff on record: taken over, or refused with the rule and what breaks it. */
export function handoff<Value extends object>(
  state: State,
  contract: Contract<Value>,
  value: Value,
  because?: Seq,
  more: { readonly isOfPlan?: true } = {},
): Fact {
  const { number: iteration } = state.current
  const refusal = refusalOf(contract, value)
  if (refusal) return concluded(state, LOOP, 'handoff.refused', { iteration, ...refusal }, because)
  return concluded(state, LOOP, 'handoff.accepted', { contract: contract.contract, iteration, ...more }, because)
}

/** The item under way by its name. */
export function itemOf({ slices: { plan } = {} }: State): string {
  return currentItem(plan)?.id ?? ''
}
