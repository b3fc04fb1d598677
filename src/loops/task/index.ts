import type { Loop } from '../../core/loop.ts'
import { awaitsReview, taskEffects } from './effects.ts'
import { decideTask } from './decide.ts'
import { planItems, type TaskSettings, wholeSettings } from './settings.ts'
import { leftForLater, planBeginning, planFinish } from '../shared/plan.ts'
import { lateChecks, verdictOf } from '../../core/measures/verdict-of.ts'
import type { State } from '../../core/state.ts'
import type { Verdict } from '../../core/verdict.ts'
import { taskFold } from './fold.ts'
import { testsSettled } from './test-first.ts'

export type { Task, TaskOverrides, TaskSettings } from './settings.ts'

/**
 * One goal, or several tasks in order: work, observe, check, then `proceed`, `retry`, `escalate` or `wait`. Success outranks every limit.
 *
 * @part task
 */
export function taskLoop(settings: TaskSettings): Loop {
  const whole = wholeSettings(settings)
  // As they were given: a default of the whole loop isn't a single task's.
  const items = planItems(settings.tasks ?? [])
  return {
    spec: { name: 'task', v: 1, settings: recorded(settings, whole) },
    begins: (state) => planBeginning(items, state),
    finishes: planFinish,
    verdict: taskVerdict,
    settles: (state) => testsSettled(whole, state),
    fold: taskFold,
    performers: () => import('./perform-sides.ts').then(({ performSides }) => ({ sides: performSides })),
    effects: (state) => taskEffects(whole, state),
    awaits: (state) => awaitsReview(whole, state),
    decide: (state, trips) => decideTask(whole, state, trips),
  }
}

/** Tests that are left for later tasks don't keep this one from passing. */
function taskVerdict(state: State): Verdict {
  const verdict = verdictOf(state.current.checks, state.measures.ledger, lateChecks(state))
  return leftForLater(state).length > 0 ? { ...verdict, passed: true } : verdict
}

/** What a run records of its loop: what older runs did not know is left out where it has its default. */
function recorded(
  { tasks, testFirst, autoRetryOnTestFail, autoRetryOnReviewReject, escalationIncludesDiff }: TaskSettings,
  whole: Whole,
) {
  const { goal, baseline, feedbackLengthMax, stopOn } = whole
  return {
    goal,
    baseline,
    feedbackLengthMax,
    stopOn,
    ...(tasks === undefined ? {} : { tasks: tasks.map((task) => ({ ...task })) }),
    ...(testFirst === undefined ? {} : { testFirst }),
    ...(autoRetryOnTestFail === undefined ? {} : { autoRetryOnTestFail }),
    ...(autoRetryOnReviewReject === undefined ? {} : { autoRetryOnReviewReject }),
    ...(escalationIncludesDiff === undefined ? {} : { escalationIncludesDiff }),
  }
}

type Whole = ReturnType<typeof wholeSettings>
