import { isOver } from '../../../core/outcome.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../../core/pawl-error.ts'
import { checkedRunId } from '../../../core/names.ts'
import { redactJson } from '../../../secrets/filter.ts'
import type { Store } from '../../../stores/store.ts'
import { loadState } from '../../../engine/session.ts'
import { freeRunId, warnOfBlindBudget } from '../start-run.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { inOrder } from '../../../settings/task-list.ts'
import { driveRun } from '../drive-run.ts'
import type { StartFlags } from '../run-settings.ts'
import { taskConfig } from '../task-config.ts'
import { taskRequest, type TaskRequest } from '../task-request.ts'

export interface TaskFlags extends StartFlags {
  readonly id?: string
  /** A file of tasks. */
  readonly tasks?: string
  readonly ask?: boolean
  /** How many tasks may be under way at a time. */
  readonly parallel?: string
  /** With `parallel`: the branch that gets the result. */
  readonly onto?: string
  /** Run in the background. */
  readonly detach?: boolean
}

/** Runs a task loop on a goal, or on several one after the other, until it is done, stops or asks. */
export async function task(context: CliContext, flags: TaskFlags, goals: readonly string[]): Promise<number> {
  // Before the store: a mistake in a file of tasks must not leave a store behind.
  const given = await taskRequest(goals, flags.tasks)
  if (flags.parallel !== undefined) return (await import('./parallel.ts')).parallelTasks(context, flags, given)
  if (flags.onto !== undefined)
    throw new PawlError('usage.onto', '--onto goes with --parallel: pawl task --tasks FILE --parallel 2 --onto BRANCH')
  const request = given.tasks ? { ...given, tasks: inOrder(given.tasks) } : given
  return withStore(context, (store) => runTask(context, store, flags, request))
}

/** The same with a store that is open. */
export async function runTask(context: CliContext, store: Store, flags: TaskFlags, request: TaskRequest): Promise<number> {
  const config = await loadConfig(context.project.configPath)
  const runConfig = taskConfig(context.project.root, flags, config, request)
  warnOfBlindBudget(context, runConfig)
  const run =
    flags.id === undefined ? await freeRunId(store, request.name) : await knownOrNew(store, flags.id, await redactJson(request))
  return driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false, detach: flags.detach, queue: flags })
}

/** Running a known id is resuming it, but never with another goal or other tasks by accident. The journal has both without secrets. */
async function knownOrNew(store: Store, id: string, { goal, tasks }: TaskRequest): Promise<string> {
  const run = checkedRunId(id)
  const state = await loadState(store, run, builtInFolds)
  const { goal: known, tasks: knownTasks } = state?.config.loop.settings ?? {}
  if (state && known !== goal)
    throw new PawlError(
      'usage.other-goal',
      `Run ${run} exists with another goal ("${String(known)}"): choose another --id, or continue it: \`pawl resume ${run}\`.`,
    )
  if (state && isOver(state)) {
    throw new PawlError(
      'usage.run-over',
      `Run ${run} is ${state.status} already and checks nothing any more: choose another --id, or look at it with \`pawl show ${run}\`.`,
    )
  }
  if (state && !isDeepStrictEqual(knownTasks, tasks && JSON.parse(JSON.stringify(tasks))))
    throw new PawlError(
      'usage.other-tasks',
      `Run ${run} exists with other tasks, and a plan stays as it was made: choose another --id, or continue it: \`pawl resume ${run}\`.`,
    )
  return run
}
