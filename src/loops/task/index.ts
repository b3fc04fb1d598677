import type { Loop } from '../../core/loop.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { requirePositiveInteger } from '../../core/require.ts'
import { decideTask } from './decide-task.ts'
import { taskEffects } from './task-effects.ts'

export interface TaskSettings {
  /** What is to be true in the end, in the user's words. */
  readonly goal: string
  /** Run the checks once before any work: what fails beforehand is told to the agent. Default true. */
  readonly baseline?: boolean
  /** How many characters of feedback a brief carries. Default 500. */
  readonly feedbackLengthMax?: number
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
}

/** One goal: work, observe, check, then `proceed`, `retry` or `escalate`. Success outranks every limit. */
export function taskLoop(settings: TaskSettings): Loop {
  const { goal, baseline = true, feedbackLengthMax = 500, stopOn = ['budget'] } = settings
  if (typeof goal !== 'string' || goal.trim() === '')
    throw new PawlError('loop.task.goal', 'The task loop needs a goal: one sentence that says what is to be true in the end.')
  requirePositiveInteger('taskLoop', 'feedbackLengthMax', feedbackLengthMax)
  const whole = { goal, baseline, feedbackLengthMax, stopOn }
  return {
    spec: { name: 'task', v: 1, settings: whole },
    effects: (state) => taskEffects(whole, state),
    decide: (state, trips) => decideTask(whole, state, trips),
  }
}
