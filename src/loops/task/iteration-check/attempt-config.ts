import { maxIterations } from '../../../guards/index.ts'
import type { PartSpec, RunConfig } from '../../../core/run-config.ts'
import { type TaskOverrides, taskLoop } from '../index.ts'
import type { CheckDocument } from './check-document.ts'

/** The program that such runs belong to: only whoever hands in documents can go on with them. */
export const CHECK_PROGRAM = 'pawl check'

/** The configuration that a document asks for; `before` is what the task's document before it asked for. */
export function attemptConfig({ iteration_check, iteration_control = {} }: CheckDocument, before?: RunConfig): RunConfig {
  const { task_id, max_iterations, review_result } = iteration_check
  const known = before?.guards[0]?.settings['iterationsMax']
  const max = max_iterations ?? iteration_control.max_iterations ?? (typeof known === 'number' ? known : undefined)
  return {
    loop: taskLoop({
      goal: task_id,
      baseline: false,
      ...knownSettings(before?.loop.settings as TaskOverrides | undefined),
      ...defined('autoRetryOnTestFail', iteration_control.auto_retry_on_test_fail),
      ...defined('autoRetryOnReviewReject', iteration_control.auto_retry_on_review_reject),
      ...defined('escalationIncludesDiff', iteration_control.escalation_includes_diff),
      ...defined('feedbackLengthMax', iteration_control.feedback_max_length),
    }).spec,
    guards: [maxIterations(max).spec],
    agent: part({ name: 'the caller' }),
    checks: [part({ name: 'tests' }), ...(review_result ? [part({ name: 'review', review: 'person' })] : [])],
    workspace: part({}),
    program: CHECK_PROGRAM,
  }
}

function part(settings: PartSpec['settings']): PartSpec {
  return { name: 'document', v: 1, settings }
}

function knownSettings(settings: TaskOverrides = {}): TaskOverrides {
  const { autoRetryOnTestFail, autoRetryOnReviewReject, escalationIncludesDiff, feedbackLengthMax } = settings
  return {
    ...defined('autoRetryOnTestFail', autoRetryOnTestFail),
    ...defined('autoRetryOnReviewReject', autoRetryOnReviewReject),
    ...defined('escalationIncludesDiff', escalationIncludesDiff),
    ...defined('feedbackLengthMax', feedbackLengthMax),
  }
}

function defined<Name extends keyof TaskOverrides>(
  name: Name,
  value: TaskOverrides[Name],
): Pick<TaskOverrides, Name> | undefined {
  return value === undefined ? undefined : ({ [name]: value } as Pick<TaskOverrides, Name>)
}
