import { type Effect, effectKey, type EffectOf } from '../../core/effect.ts'
import { stage } from '../../core/loop.ts'
import { roundOf } from './fold.ts'
import { currentItem } from '../shared/plan.ts'
import { proofEffects } from '../shared/proof.ts'
import type { TestOutcomeKind } from './progress.ts'
import { type CheckRecord, isDone, type State } from '../../core/state.ts'
import type { WholeReviewSettings } from './settings.ts'
import { shortened } from '../../core/wording.ts'
import { checkEffects, dueChecks, isPersonReview, isReview } from '../shared/checks.ts'

/** The item under way in its own words. */
export function goalNow({ goal }: WholeReviewSettings, { slices: { plan } = {} }: State): string {
  return currentItem(plan)?.goal ?? goal
}

/** What a reviewing agent looks at and when, as briefs say it. */
export const REVIEWED = 'every pass, before the tests'

/** The tester: the checks that are due and are no reviews. */
export function testEffects(state: State): readonly EffectOf<'check'>[] {
  return dueChecks(state)
}

/** The agents that review, in the order they are configured in. */
export function reviewEffects(state: State): readonly EffectOf<'check'>[] {
  return checkEffects(state, (spec) => isReview(spec) && !isPersonReview(spec))
}

/** The person who is to review this pass, unless an agent asks for rework. A repair that changed no files needs no second review. */
export function personReviewDue(state: State): EffectOf<'check'> | undefined {
  const { approved, rejected } = state.slices?.review ?? {}
  const wasReviewed = !isToBeReviewed(state) && (approved ?? rejected) !== undefined
  if (wasReviewed || reviewsIn(state).some(({ passed }) => !passed)) return undefined
  return checkEffects(state, isPersonReview).find(({ key }) => !isDone(state, key))
}

/** Whether this pass has to be reviewed: a coder's always, a repair where it changed files of the project. */
export function isToBeReviewed({ slices: { review } = {}, current }: State): boolean {
  return review?.assigned?.role === 'coder' || (current.observed?.filesChanged ?? 0) > 0
}

/**
 * Whose turn it is once the work is handed over. Agents review before the tests. A person reviews after them, and only work that
 * passes: a person's time is worth more than a test run.
 */
export function turnIn(state: State): 'reviewers' | 'tester' | 'verdict' | 'coder' {
  const { judged } = state.slices?.review ?? {}
  const isWork = isToBeReviewed(state)
  if (isWork && reviewEffects(state).some(({ key }) => !isDone(state, key))) return 'reviewers'
  if (personReviewDue(state)) return 'tester'
  if ((isWork || reviewsIn(state).length > 0) && !isOfThisRound(state, judged)) return 'verdict'
  return judged?.route === 'CODING' ? 'coder' : 'tester'
}

/** What the reviewers of this iteration said. */
export function reviewsIn({ current }: State): readonly CheckRecord[] {
  return current.checks.filter(({ isReview: isOne }) => isOne)
}

/** What the tests of this iteration said. */
export function testsIn({ current }: State): readonly CheckRecord[] {
  return current.checks.filter(({ isReview: isOne }) => !isOne)
}

/** What follows the tests: a look at what they wrote, which is theirs and not the next worker's, and the proof if they pass. */
export function afterTests(state: State): readonly Effect[] {
  const { number: iteration } = state.current
  const key = effectKey(iteration, 'checked', roundOf(state))
  return stage(state, [{ kind: 'observe', key, iteration, by: 'checks' }], proofEffects(state))
}

/** What the tests come to, once all have run or one could not; `environment` goes before `failed`, `failed` before `passed`. */
export function testOutcome(state: State): TestOutcomeKind | undefined {
  if (isTesterProblem(state)) return 'environment'
  const wanted = testEffects(state)
  if (state.current.problem || !wanted.every(({ key }) => isDone(state, key))) return undefined
  const tests = testsIn(state)
  if (tests.some(({ failures }) => failures.some(({ kind }) => kind === 'environment'))) return 'environment'
  return tests.every(({ passed }) => passed) ? 'passed' : 'failed'
}

/** Why the tests could not run properly, in a sentence or two. */
export function troubleIn(state: State): string {
  const { problem } = state.current
  const failures = testsIn(state).flatMap((test) => test.failures.filter(({ kind }) => kind === 'environment'))
  const words = problem ? [problem.message, problem.fix ?? ''] : failures.map(({ id, message }) => `${id}: ${message}`)
  return shortened(words.join(' '), TROUBLE_LENGTH_MAX)
}

const TROUBLE_LENGTH_MAX = 500

/** Whether what is in the way is the environment of a test, a missing program included: not a reviewer, not an agent, not a setting. */
export function isTesterProblem(state: State): boolean {
  const { problem } = state.current
  if (!problem || (problem.fault !== 'environment' && !problem.isProgramMissing)) return false
  return testEffects(state).some(({ key }) => key === problem.key)
}

/** Whether a judgement of this iteration is about the files as they are now. */
export function isOfThisRound(state: State, judgement: { readonly round: number } | undefined): boolean {
  return judgement !== undefined && judgement.round === roundOf(state)
}

/** The key of the look at what a pass changed. */
export function observeKey({ current }: State): string {
  return effectKey(current.number, 'observe')
}

/** Whether the contract holds for the files as they are now. */
export function hasAccepted(state: State, { contract }: { readonly contract: string }): boolean {
  const { accepted = [] } = state.slices?.review ?? {}
  return accepted.some((each) => each.contract === contract && each.round === roundOf(state))
}
