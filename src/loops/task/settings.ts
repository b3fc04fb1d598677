import { PawlError } from '../../core/pawl-error.ts'
import { currentItem, type PlanItem } from '../shared/plan.ts'
import type { State } from '../../core/state.ts'
import {
  ANYTHING,
  type EntriesOf,
  FLAG,
  LIST,
  needed,
  optional,
  settingsSchema,
  TEXT,
  TEXTS,
  wholeNumber,
} from '../../schema/kinds.ts'
import { readOptions, requireKind } from '../../schema/read-options.ts'
import { isRecorded } from '../../core/run-config.ts'

/** What may be set for the whole loop, and otherwise for one of its tasks. */
export interface TaskOverrides {
  /** Whether failing checks lead to another try by themselves; a person is asked otherwise. Default true. */
  readonly autoRetryOnTestFail?: boolean
  /** The same for a reviewer's rejection. Default true. */
  readonly autoRetryOnReviewReject?: boolean
  /** Whether a question carries the last attempt's changes. Default true. */
  readonly escalationIncludesDiff?: boolean
  /** How many characters of feedback a brief carries. Default 500. */
  readonly feedbackLengthMax?: number
}

export interface TaskSettings extends TaskOverrides {
  /** What is to be true in the end, in the user's words; with `tasks`, what they are for. */
  readonly goal: string
  /** Several tasks, done one after the other, each with attempts and limits of its own. Default: the goal is the one task. */
  readonly tasks?: readonly Task[]
  /** Run the checks once before any work: what fails beforehand is told to the agent. Default true. */
  readonly baseline?: boolean
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
}

export interface Task extends TaskOverrides {
  /** Short name, unlike the others. */
  readonly id: string
  readonly goal: string
  /** Its own maximum in place of the guard's. */
  readonly iterationsMax?: number
}

/** Settings with every default filled in. */
export type WholeSettings = Required<TaskSettings>

/** Checks the settings and fills in the defaults. */
export function wholeSettings(settings: TaskSettings): WholeSettings {
  const {
    goal,
    tasks = [],
    baseline = true,
    stopOn = ['budget'],
    autoRetryOnTestFail = true,
    autoRetryOnReviewReject = true,
    escalationIncludesDiff = true,
    feedbackLengthMax = 500,
  } = settings
  requireGoal(goal, 'The task loop needs a goal')
  requireKind('taskLoop', 'feedbackLengthMax', feedbackLengthMax, wholeNumber(1))
  requireTasks(tasks)
  return {
    goal,
    tasks,
    baseline,
    stopOn,
    autoRetryOnTestFail,
    autoRetryOnReviewReject,
    escalationIncludesDiff,
    feedbackLengthMax,
  }
}

/** The tasks as items of a run's plan. */
export function planItems(tasks: readonly Task[]): readonly PlanItem[] {
  return tasks.map(({ id, goal, ...settings }) => ({ id, goal, ...(Object.keys(settings).length === 0 ? {} : { settings }) }))
}

/** What holds now: the loop's settings, with those of the task under way in their place. */
export function settingsNow(settings: WholeSettings, { slices: { plan } = {} }: State): WholeSettings {
  const item = currentItem(plan)
  return item ? { ...settings, ...(item.settings as TaskOverrides | undefined), goal: item.goal } : settings
}

function requireTasks(tasks: readonly Task[]): void {
  const ids = new Set<string>()
  for (const task of tasks) {
    requireGoal(task.goal, `Task "${task.id}" needs a goal`)
    if (ids.has(task.id))
      throw new PawlError('loop.task.same-id', `Two tasks are called "${task.id}": give each a name of its own.`)
    ids.add(task.id)
    if (task.iterationsMax !== undefined) requireKind(`task "${task.id}"`, 'iterationsMax', task.iterationsMax, wholeNumber(1))
    if (task.feedbackLengthMax !== undefined)
      requireKind(`task "${task.id}"`, 'feedbackLengthMax', task.feedbackLengthMax, wholeNumber(1))
  }
}

function requireGoal(goal: unknown, problem: string): void {
  if (typeof goal === 'string' && goal.trim() !== '') return
  throw new PawlError('loop.task.goal', `${problem}: one sentence that says what is to be true in the end.`)
}

/** Refuses options that the task loop, or one of its tasks, does not know. */
export function requireTaskOptions(settings: TaskSettings): void {
  readOptions('taskLoop', LOOP_OPTIONS, settings)
  if (isRecorded(settings)) return
  for (const [index, task] of (settings.tasks ?? []).entries()) readOptions(`taskLoop: task ${index + 1}`, TASK_OPTIONS, task)
}

const OVERRIDES = {
  autoRetryOnTestFail: optional(FLAG),
  autoRetryOnReviewReject: optional(FLAG),
  escalationIncludesDiff: optional(FLAG),
  feedbackLengthMax: ANYTHING,
} satisfies EntriesOf<TaskOverrides>

const LOOP_OPTIONS = settingsSchema({
  goal: ANYTHING,
  tasks: optional(LIST),
  baseline: optional(FLAG),
  stopOn: optional(TEXTS),
  ...OVERRIDES,
} satisfies EntriesOf<TaskSettings>)

const TASK_OPTIONS = settingsSchema({
  id: needed(TEXT),
  goal: ANYTHING,
  iterationsMax: ANYTHING,
  ...OVERRIDES,
} satisfies EntriesOf<Task>)
