import { concluded, LOOP } from '../../core/conclude.ts'
import { effectKey, type EffectOf } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import { decisionFacts } from '../../core/judge.ts'
import type { PlanItem } from '../shared/plan.ts'
import type { Option, Question } from '../../core/question.ts'
import { type Message, messagesIn, optionOf, type Saying, sentence } from '../../core/saying.ts'
import type { ReviewProgress } from './progress.ts'
import { isDone, type State } from '../../core/state.ts'
import { type Contracts, type Refusal, refusalOf } from './contracts.ts'
import { handoff, output } from './assignment.ts'
import { observeKey, REVIEWED } from './round.ts'
import { endedQuestion } from './questions.ts'
import { type ReviewItem, reviewPlan, TASK_TYPES, type WholeReviewSettings, withFullType } from './settings.ts'
import { REVIEW_WORDS, reviewSaying } from './words.ts'
import { checkLines } from '../task/brief.ts'
import { jsonAnswer } from '../../core/json-answer.ts'
import { nameFrom } from '../../core/names.ts'
import { listUpTo, looseMap, optional, type OutputOf, textUpTo, WORDS } from '../../schema/kinds.ts'
import { mismatchesIn, mismatchWords } from '../../schema/read-value.ts'

/** The role of the agent that makes the plan. */
const PLANNER = 'planner'

/** How often the planner is put to work before the run ends: a plan that will not do is sent back once. */
const PLANNINGS_MAX = 2

/** Before the first iteration: the planner's work, where a plan is still to be made. */
export function planningEffects(settings: WholeReviewSettings, state: State): readonly EffectOf<'work'>[] {
  const { slices: { review } = {} } = state
  if (!isPlanning(settings, state) || !review || !isAtWork(review) || review.refused) return []
  const key = plannerKey(review)
  if (isDone(state, key)) return []
  return [
    { kind: 'work', key, iteration: 0, role: PLANNER, brief: plannerBrief(settings, state), isReadOnly: true, performer: 'plan' },
  ]
}

/** Before the first iteration: who plans, what came of it, and whether the coder may begin with it; else the end of the run. */
export function planningConclusions(settings: WholeReviewSettings, contracts: Contracts, state: State): readonly Fact[] {
  if (settings.items !== undefined && state.slices?.plan === undefined) return givenConclusions(settings.items, contracts, state)
  if (!isPlanning(settings, state) || !isDone(state, observeKey(state))) return []
  const { slices: { review } = {}, current } = state
  if (!review || !isAtWork(review)) return [assignment(state, 'plan', 'The plan is to be made from the goal.')]
  const { refused, plannings } = review
  if (refused && (plannings?.sinceAnswer ?? 0) < PLANNINGS_MAX)
    return [assignment(state, 'replan', `The plan was sent back (${refused.rule}): ${refused.message}`)]
  if (refused) return ended(state, refusedMessage(refused), refused.seq)
  const work = current.work.find(({ key }) => key === plannerKey(review))
  if (!work) return []
  if (!review.pass) return [output(state, review, work)]
  if (work.failed) {
    const { reason, message } = work.failed
    const told = decided('review.decided.agent-failed', { who: 'The planner', isTimedOut: reason === 'timed-out', message })
    return ended(state, told, work.seq)
  }
  return handedOver(contracts, state, review)
}

/** A plan that was given and will not do is refused before the first iteration: there a corrected one can still take its place. */
function givenConclusions(given: readonly ReviewItem[], { plannerToCoder }: Contracts, state: State): readonly Fact[] {
  if (!isDone(state, observeKey(state))) return []
  const { refused } = state.slices?.review ?? {}
  if (refused) {
    return ended(state, refusedMessage(refused), refused.seq, reviewSaying('review.step.correct-plan', { run: state.run }))
  }
  const broken = brokenRule(plannerToCoder, reviewPlan(given), state)
  return broken ? [concluded(state, LOOP, 'handoff.refused', { iteration: 0, ...broken })] : []
}

/** The first rule that the plan breaks, at whichever item. */
function brokenRule(contract: Contracts['plannerToCoder'], items: readonly PlanItem[], { status }: State): Refusal | undefined {
  const indices = items.length === 0 ? [0] : [...items.keys()]
  return indices.map((index) => refusalOf(contract, { items, index, status })).find((refusal) => refusal !== undefined)
}

function isPlanning({ items }: WholeReviewSettings, { slices: { plan } = {}, current }: State): boolean {
  return items === undefined && plan === undefined && current.number === 0
}

function isAtWork({ assigned, plannings }: ReviewProgress): boolean {
  return assigned?.role === PLANNER && (plannings?.sinceAnswer ?? 0) > 0
}

/** Every assignment is a piece of work of its own. */
function plannerKey({ plannings }: ReviewProgress): string {
  return effectKey(0, PLANNER, (plannings?.inAll ?? 1) - 1)
}

function assignment(state: State, trigger: 'plan' | 'replan', reason: string): Fact {
  const data = { item: '', iteration: 0, reworkCycle: 0, role: PLANNER, trigger, to: PLANNER, reason } as const
  return concluded(state, LOOP, 'role.assigned', data, state.slices?.review?.refused?.seq)
}

/** A plan that holds is the run's plan from now on. */
function handedOver({ plannerToCoder }: Contracts, state: State, { proposed }: ReviewProgress): readonly Fact[] {
  const { trouble = 'The planner answered nothing.', seq } = proposed ?? {}
  const items = proposed?.items?.map(withFullType)
  const refused = (refusal: Refusal) => [concluded(state, LOOP, 'handoff.refused', { iteration: 0, ...refusal }, seq)]
  if (items === undefined)
    return refused({ contract: plannerToCoder.contract, rule: 'plan_malformed', message: trouble, value: null })
  const broken = brokenRule(plannerToCoder, items, state)
  if (broken) return refused(broken)
  const accepted = handoff(state, plannerToCoder, { items, index: 0, status: state.status }, seq)
  return accepted.type === 'handoff.refused' ? [accepted] : [accepted, planFact(state, items, seq)]
}

function planFact(state: State, items: readonly PlanItem[], because: number | undefined): Fact {
  return concluded(state, LOOP, 'plan.made', { items }, because)
}

/** An error of the planner, or a plan that will not do, ends the run before anybody codes. */
function ended(state: State, told: Message, because: number, way?: Saying): readonly Fact[] {
  const asked = endedQuestion(state, told.says, [])
  const question = way === undefined ? asked : withStep({ ...asked, options: asked.options.map(sameAgain) }, way)
  return decisionFacts(state, { action: 'stop', ...told, basis: [because], question }, [], [])
}

function withStep(question: Question, step: Saying): Question {
  const { text = [] } = question.says ?? {}
  return { ...question, steps: [sentence(REVIEW_WORDS, step) ?? ''], says: { text, steps: [step] } }
}

/** Saying that it is fixed changes no plan that was given: the run has it as it was. */
function sameAgain(option: Option): Option {
  const { choice, consequence } = option
  if (consequence.kind !== 'continue') return option
  const label = reviewSaying('review.same-plan')
  return optionOf(REVIEW_WORDS, { choice, consequence, label, after: reviewSaying('review.same-plan.after') })
}

function refusedMessage({ contract, message, rule }: NonNullable<ReviewProgress['refused']>): Message {
  return decided('review.decided.refused', { contract, message, rule })
}

const decided = messagesIn(REVIEW_WORDS)

/** What the planner is asked: to look, to change nothing, and to answer with items that one coder can do one after the other. */
function plannerBrief({ goal }: WholeReviewSettings, state: State): string {
  const { slices: { review } = {}, notes } = state
  const sentBack = review?.assigned?.reason ?? ''
  return [
    ...section('Goal', [goal]),
    ...section('Your task', TASK),
    ...section('A person said', notes.map(bullet)),
    ...section('How the work will be judged', checkLines(state, REVIEWED).map(bullet)),
    ...section('Your last plan could not be used', (review?.plannings?.sinceAnswer ?? 0) > 1 ? [sentBack] : []),
    ...section('Your answer', ANSWER),
  ].join('\n')
}

const TASK = [
  'You are the planner. Look at the files as much as you need and change none: what you change is put back.',
  'Divide the goal into items that are done one after the other. Each is small enough for one sitting, leaves everything working, and',
  'says what is to be true when it is done. As few items as that takes; one is enough for a small goal.',
]

const ANSWER = [
  'Answer with one JSON object and nothing else:',
  `{"items": [{"description": "what is to be true when it is done", "type": ${TASK_TYPES.map((type) => `"${type}"`).join(' | ')}}]}`,
]

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`# ${title}`, ...lines, '']
}

/** A text of several lines stays one item. */
function bullet(line: string): string {
  return `- ${line.replaceAll('\n', '\n  ')}`
}

/** A plan that an agent answered with, or why its answer isn't one. */
export type PlanAnswer = { readonly items: readonly PlanItem[] } | { readonly trouble: string }

/**
 * The items in an agent's answer, `{"items": [{"description": "…", "type": "coding"}]}`, each with a name made from its description.
 * Only the form is looked at: whether the items will do is for the contract to say, so an empty description and an unknown type pass.
 */
export function planAnswer(text: string): PlanAnswer {
  const answer = jsonAnswer(text)
  if (!answer) return { trouble: 'The answer does not end with one JSON object: answer with {"items": [...]} and nothing else.' }
  const { output: plan, mismatches } = mismatchesIn(PLAN, answer)
  if (mismatches.length > 0) return { trouble: `${mismatches.slice(0, PROBLEMS_MAX).map(mismatchWords).join('; ')}.` }
  const taken = new Set<string>()
  return { items: plan.items.map((item) => planItem(item, taken)) }
}

const PROBLEMS_MAX = 5

const ITEM = looseMap('an object', { description: textUpTo(4000), type: optional(WORDS) })

/** Who needs more items plans too finely. */
const PLAN = looseMap('an object', { items: listUpTo(50, 'a list of at most 50 items', ITEM) })

function planItem({ description, type }: OutputOf<typeof ITEM>, taken: Set<string>): PlanItem {
  const goal = description.trim()
  const id = nameFrom(goal.split('\n')[0] ?? '', taken, 'item')
  taken.add(id)
  return { id, goal, ...(type === undefined ? {} : { settings: { type: type.trim() } }) }
}
