import { basename, extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import { checkedRunId } from '../../../core/run-id.ts'
import type { Store } from '../../../ports/store.ts'
import { loadState } from '../../../runner/load-state.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../config/load-config.ts'
import { loadTasks } from '../config/load-tasks.ts'
import { shortPath } from '../config/text-file.ts'
import { driveRun } from '../drive-run.ts'
import { nameFromGoal } from '../name-from-goal.ts'
import { reviewConfig, type ReviewFlags } from '../review-config.ts'
import { warnOfBlindBudget } from './task.ts'

/** Does a plan item by item with coders who take turns, a reviewer and tests, until it is done, stops or asks. */
export async function review(context: CliContext, flags: ReviewFlags, plan: string | undefined): Promise<number> {
  if (plan === undefined)
    throw new PawlError(
      'usage.no-plan',
      'Which plan? Give a file with its items, a Markdown checklist or YAML: pawl review plan.md',
    )
  // Before the store: a mistake in a flag or a file must not leave a store behind.
  const list = await loadTasks(plan)
  const config = await loadConfig(context.project.configPath)
  const runConfig = reviewConfig(context.project.root, flags, config, { ...list, goal: `The plan ${shortPath(plan)}` })
  warnOfBlindBudget(context, runConfig)
  return withStore(context, async (store) => {
    const run = flags.id === undefined ? await freeId(store, plan) : await knownOrNew(store, flags.id, runConfig)
    return driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false })
  })
}

/** Named after the plan, with a number behind it when that name is taken. */
async function freeId(store: Store, plan: string): Promise<string> {
  return nameFromGoal(basename(plan, extname(plan)), new Set((await store.runs()).map((entry) => entry.run)))
}

/** Running a known id is resuming it; its plan stays as it was made. */
async function knownOrNew(store: Store, id: string, { loop }: RunConfig): Promise<string> {
  const run = checkedRunId(id)
  const state = await loadState(store, run)
  if (!state) return run
  const known = state.config.loop
  if (known.name !== loop.name)
    throw new PawlError('usage.other-loop', `Run ${run} is a run of the ${known.name} loop: choose another --id.`)
  if (state.status === 'completed' || state.status === 'aborted')
    throw new PawlError(
      'usage.run-over',
      `Run ${run} is ${state.status} already: choose another --id, or look at it with \`pawl show ${run}\`.`,
    )
  if (!isDeepStrictEqual(known.settings['items'], JSON.parse(JSON.stringify(loop.settings['items']))))
    throw new PawlError(
      'usage.other-plan',
      `Run ${run} exists with other items, and a plan stays as it was made: choose another --id, or go on with it by \`pawl resume ${run}\`.`,
    )
  return run
}
