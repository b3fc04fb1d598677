import { isRecorded } from '../../core/recorded-settings.ts'
import type { Task, TaskOverrides, TaskSettings } from './task-settings.ts'
import { ANYTHING, type EntriesOf, FLAG, LIST, needed, optional, settingsSchema, TEXT, TEXTS } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

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
