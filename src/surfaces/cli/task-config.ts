import type { RunConfig } from '../../core/run-config.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { TASK_LOOP } from '../../loops/task/settings.ts'
import { TEST_WRITER } from '../../loops/task/fold.ts'
import { withCommonLimit } from './agent-time-limits.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { commonConfig } from './common-config.ts'
import { agentSpec, loopSettings, type StartFlags, withTaskChecks } from './run-settings.ts'
import { reviewSpecs } from '../../settings/reviewers.ts'
import type { TaskRequest } from './task-request.ts'

/** Everything that decides how a run of the task loop goes: flags over the list of tasks over pawl.yaml over the defaults. */
export function taskConfig(root: string, flags: StartFlags, written: PawlConfig | undefined, request: TaskRequest): RunConfig {
  const config: PawlConfig = withCommonLimit({ agents: {}, checks: [], ...written, ...request.control }, flags)
  const checks = withTaskChecks(flags, config, request.tasks)
  const agent = agentSpec(flags, config, checks)
  const { testFirst, ...settings } = loopSettings(TASK_LOOP.entries, flags, config)
  const writer = flags.testWriter ?? (typeof written?.testFirst === 'string' ? written.testFirst : undefined)
  const isFirst = flags.testWriter !== undefined || (testFirst ?? false) !== false
  return {
    loop: taskLoop({
      goal: request.goal,
      ...(request.tasks ? { tasks: request.tasks } : {}),
      ...settings,
      ...(isFirst ? { testFirst: true } : {}),
    }).spec,
    ...commonConfig(root, flags, config, { agent, checks, reviews: reviewSpecs(flags, config, checks) }),
    ...(writer === undefined ? {} : { roles: { [TEST_WRITER]: agentSpec({ agent: writer }, config, checks) } }),
  }
}
