import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { PartSpec, RunConfig } from '../../../core/run-config.ts'
import { checkedRunId } from '../../../core/run-id.ts'
import { taskLoop } from '../../../loops/task/index.ts'
import type { Store } from '../../../ports/store.ts'
import { loadState } from '../../../runner/load-state.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import type { PawlConfig } from '../config/pawl-config.ts'
import { AGENT_PRESETS } from '../config/agent-presets.ts'
import { loadConfig } from '../config/load-config.ts'
import { driveRun } from '../drive-run.ts'
import { agentSpec, checkSpecs, guardSpecs, type SettingFlags } from '../run-settings.ts'

export interface TaskFlags extends SettingFlags {
  readonly id?: string
  readonly ask?: boolean
}

/** Runs a task loop on a goal until it is done, stops or asks. */
export async function task(context: CliContext, flags: TaskFlags, goal: string): Promise<number> {
  return withStore(context, (store) => runTask(context, store, flags, goal))
}

/** The same with a store that is open. */
export async function runTask(context: CliContext, store: Store, flags: TaskFlags, goal: string): Promise<number> {
  const config = await loadConfig(context.project.configPath)
  const runConfig = taskConfig(context, flags, config, goal)
  warnOfBlindBudget(context, runConfig)
  const run = flags.id === undefined ? await freeId(store, goal) : await knownOrNew(store, flags.id, goal)
  return driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false })
}

function taskConfig(context: CliContext, flags: TaskFlags, config: PawlConfig | undefined, goal: string): RunConfig {
  const checks = checkSpecs(flags, config)
  const { baseline, feedbackMaxLength } = config ?? {}
  const loop = taskLoop({
    goal,
    ...(baseline === undefined ? {} : { baseline }),
    ...(feedbackMaxLength === undefined ? {} : { feedbackLengthMax: feedbackMaxLength }),
  })
  return {
    loop: loop.spec,
    guards: guardSpecs(flags, config),
    agent: agentSpec(flags, config, checks),
    checks,
    workspace: workspaceSpec(context.project.root, flags.worktree ?? config?.worktree ?? false),
  }
}

/** A limit that cannot work must not look like one. */
function warnOfBlindBudget({ terminal }: CliContext, { agent, guards }: RunConfig): void {
  const max = guards.find((guard) => guard.name === 'budget')?.settings['costUsdMax']
  const name = String(agent.settings['name'])
  const isBlind = typeof max === 'number' && max > 0 && name !== 'tinker' && Object.hasOwn(AGENT_PRESETS, name)
  if (isBlind)
    terminal.warn(`Note: as it is run here ${name} reports no cost, so the money limit cannot end the run; --budget-time can.`)
}

/** Git where there is a repository, else plain copies. */
function workspaceSpec(path: string, worktree: boolean): PartSpec {
  const isGit = isInRepository(path)
  if (!isGit && worktree)
    throw new PawlError(
      'usage.no-repository',
      `--worktree needs a git repository, and ${path} is none: run \`git init\` first, or leave --worktree out.`,
    )
  return isGit ? { name: 'git', v: 1, settings: { path, worktree } } : { name: 'folder', v: 1, settings: { path } }
}

function isInRepository(path: string): boolean {
  return existsSync(join(path, '.git')) || (dirname(path) !== path && isInRepository(dirname(path)))
}

/** A run's name from its goal, with a number behind it when that name is taken. */
async function freeId(store: Store, goal: string): Promise<string> {
  const words = goal
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const name = words.slice(0, 40).replaceAll(/-+$/g, '') || 'task'
  const taken = new Set((await store.runs()).map((entry) => entry.run))
  for (let number = 1; ; number++) {
    const run = number === 1 ? name : `${name}-${number}`
    if (!taken.has(run)) return run
  }
}

/** Running a known id is resuming it, but never with another goal by accident. */
async function knownOrNew(store: Store, id: string, goal: string): Promise<string> {
  const run = checkedRunId(id)
  const state = await loadState(store, run)
  const known = state?.config.loop.settings['goal']
  if (state && known !== goal)
    throw new PawlError(
      'usage.other-goal',
      `Run ${run} exists with another goal ("${String(known)}"): choose another --id, or go on with it by \`pawl resume ${run}\`.`,
    )
  if (state?.status === 'completed' || state?.status === 'aborted') {
    throw new PawlError(
      'usage.run-over',
      `Run ${run} is ${state.status} already and checks nothing any more: choose another --id, or look at it with \`pawl show ${run}\`.`,
    )
  }
  return run
}
