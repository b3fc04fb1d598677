import type { Loop } from '../../core/loop.ts'
import { awaitsReview, taskEffects } from './effects.ts'
import { decideTask } from './decide.ts'
import { planItems, type TaskSettings, wholeSettings } from './settings.ts'
import { planBeginning, planFinish, planFold } from '../shared/plan.ts'

export type { Task, TaskOverrides, TaskSettings } from './settings.ts'

/**
 * One goal, or several tasks in order: work, observe, check, then `proceed`, `retry`, `escalate` or `wait`. Success outranks every limit.
 *
 * @part task
 */
export function taskLoop(settings: TaskSettings): Loop {
  const whole = wholeSettings(settings)
  const items = planItems(whole.tasks)
  return {
    spec: { name: 'task', v: 1, settings: recorded(settings, whole) },
    begins: (state) => planBeginning(items, state),
    finishes: planFinish,
    fold: planFold,
    effects: (state) => taskEffects(whole, state),
    awaits: (state) => awaitsReview(whole, state),
    decide: (state, trips) => decideTask(whole, state, trips),
  }
}

/** What a run records of its loop: what older runs did not know is left out where it has its default. */
function recorded({ tasks, autoRetryOnTestFail, autoRetryOnReviewReject, escalationIncludesDiff }: TaskSettings, whole: Whole) {
  const { goal, baseline, feedbackLengthMax, stopOn } = whole
  return {
    goal,
    baseline,
    feedbackLengthMax,
    stopOn,
    ...(tasks === undefined ? {} : { tasks: tasks.map((task) => ({ ...task })) }),
    ...(autoRetryOnTestFail === undefined ? {} : { autoRetryOnTestFail }),
    ...(autoRetryOnReviewReject === undefined ? {} : { autoRetryOnReviewReject }),
    ...(escalationIncludesDiff === undefined ? {} : { escalationIncludesDiff }),
  }
}

type Whole = ReturnType<typeof wholeSettings>
