import { basename, extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import type { State } from '../../../core/state.ts'
import { redactJson } from '../../../secrets/filter.ts'
import type { Store } from '../../../stores/store.ts'
import { freeRunId, knownRun, warnOfBlindBudget } from '../start-run.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { loadTasks } from '../../../settings/load-tasks.ts'
import { inOrder } from '../../../settings/task-list.ts'
import { shortPath } from '../../../settings/text-file.ts'
import { driveRun } from '../drive-run.ts'
import { reviewConfig, type ReviewFlags, type ReviewRequest } from '../review-config.ts'

/** Does a plan item by item with coders who take turns, a reviewer and tests, until it is done, stops or asks. */
export async function review(context: CliContext, flags: ReviewFlags, plan: string | undefined): Promise<number> {
  // Before the store: a mistake in a flag or a file must not leave a store behind.
  const { name, ...request } = await requestFrom(flags, plan)
  const config = await loadConfig(context.project.configPath)
  const runConfig = reviewConfig(context.project.root, flags, config, request)
  warnOfBlindBudget(context, runConfig)
  return withStore(context, async (store) => {
    const run =
      flags.id === undefined ? await freeRunId(store, name) : await knownOrNew(store, flags.id, await redactJson(runConfig))
    return driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false, detach: flags.detach, queue: flags })
  })
}

/** The items of the plan, or the goal that a planner makes them from; and what the run is named after. */
async function requestFrom(
  { goal, planner }: ReviewFlags,
  plan: string | undefined,
): Promise<ReviewRequest & { readonly name: string }> {
  if (plan !== undefined && planner !== undefined)
    throw new PawlError('usage.plan-and-planner', `The plan ${plan} is given and --planner too: leave one of them out.`)
  if (plan !== undefined) {
    const { tasks, control } = await loadTasks(plan)
    return { tasks: inOrder(tasks), control, goal: goal ?? `The plan ${shortPath(plan)}`, name: basename(plan, extname(plan)) }
  }
  if (goal === undefined || goal.trim() === '')
    throw new PawlError(
      'usage.no-plan',
      'Which plan? Give a file with its items, a Markdown checklist or YAML (pawl review plan.md), or a goal that an agent plans: pawl review --goal "…" --planner claude',
    )
  return { goal: goal.trim(), name: goal }
}

/** Running a known id is resuming it; its plan stays as it was made, unless it was refused. The journal has it without secrets. */
async function knownOrNew(store: Store, run: string, config: RunConfig): Promise<string> {
  const state = await knownRun(store, run, config)
  if (!state) return run
  const { loop } = config
  const known = state.config.loop
  if (!isCorrectable(state, loop) && !isDeepStrictEqual(planOf(known), planOf(loop)))
    throw new PawlError(
      'usage.other-plan',
      `Run ${run} exists with ${known.settings['items'] === undefined ? 'another goal' : 'other items'}, and a plan stays as it was made: choose another --id, or continue it: \`pawl resume ${run}\`.`,
    )
  return run
}

/** A plan that was refused before anybody worked: the corrected one takes its place. */
function isCorrectable(
  { slices: { plan, review: progress } = {}, config, status }: State,
  { settings }: RunConfig['loop'],
): boolean {
  const isGiven = config.loop.settings['items'] !== undefined && settings['items'] !== undefined
  return isGiven && status === 'stopped' && plan === undefined && progress?.refused !== undefined
}

/** What stays as it was: the items, or the goal they are made from. */
function planOf({ settings: { items = null, goal = null } }: RunConfig['loop']): unknown {
  return JSON.parse(JSON.stringify(items === null ? { goal } : { items }))
}
