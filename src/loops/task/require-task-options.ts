import { FLAG, LIST, needed, type OptionKinds, TEXT, TEXTS } from '../../core/option-kinds.ts'
import { isRecorded } from '../../core/recorded-settings.ts'
import { requireOptions } from '../../core/require-options.ts'
import type { Task, TaskOverrides, TaskSettings } from './task-settings.ts'

/** Refuses options that the task loop, or one of its tasks, does not know. */
export function requireTaskOptions(settings: TaskSettings): void {
  requireOptions('taskLoop', settings, LOOP_OPTIONS)
  if (isRecorded(settings)) return
  for (const [index, task] of (settings.tasks ?? []).entries()) requireOptions(`taskLoop: task ${index + 1}`, task, TASK_OPTIONS)
}

const OVERRIDES: OptionKinds<TaskOverrides> = {
  autoRetryOnTestFail: FLAG,
  autoRetryOnReviewReject: FLAG,
  escalationIncludesDiff: FLAG,
  feedbackLengthMax: true,
}

const LOOP_OPTIONS: OptionKinds<TaskSettings> = {
  goal: true,
  tasks: LIST,
  baseline: FLAG,
  stopOn: TEXTS,
  ...OVERRIDES,
}

const TASK_OPTIONS: OptionKinds<Task> = { id: needed(TEXT), goal: true, iterationsMax: true, ...OVERRIDES }
