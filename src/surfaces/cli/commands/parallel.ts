import { builtInFolds } from '../../../loops/evolve.ts'
import {
  childRun,
  type ParallelChild,
  type ParallelSettings,
  parallelSpec,
  settingsIn,
} from '../../../loops/parallel/settings.ts'
import { checkedRunId } from '../../../core/names.ts'
import { isOver } from '../../../core/outcome.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import { loadState } from '../../../engine/session.ts'
import { redactJson } from '../../../secrets/filter.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { checkNeeds, nameFromGoal } from '../../../settings/task-list.ts'
import type { Store } from '../../../stores/store.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { driveRun } from '../drive-run.ts'
import { agentList } from '../fallback-specs.ts'
import { warnOfBlindBudget } from '../start-run.ts'
import { taskConfig } from '../task-config.ts'
import type { TaskRequest } from '../task-request.ts'
import type { TaskFlags } from './task.ts'

export interface RaceFlags extends Omit<TaskFlags, 'tasks' | 'parallel'> {
  /** Their names, with commas. */
  readonly agents: string
  readonly best?: boolean
}

/** Runs several tasks at a time, and merges what is proven. */
export async function parallelTasks(
  context: CliContext,
  flags: TaskFlags,
  { tasks = [], ...request }: TaskRequest,
): Promise<number> {
  requireHere(flags)
  const parallel = Number(flags.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
    throw new PawlError('usage.parallel', `--parallel takes a number from 1 to ${PARALLEL_MAX}, not "${flags.parallel}".`)
  if (tasks.length < 2)
    throw new PawlError(
      'usage.parallel',
      '--parallel is for several tasks: name a file of them with --tasks FILE, or give several goals.',
    )
  checkNeeds(tasks, false)
  const config = await loadConfig(context.project.configPath)
  const ids = uniqueNames(tasks.map(({ id }) => id))
  const named = new Map(tasks.map(({ id }, index) => [id, ids[index] ?? id]))
  const children = tasks.map(({ needs = [], ...task }): ParallelChild => {
    const one = { goal: task.goal, name: task.id, tasks: [task], control: request.control }
    return {
      id: named.get(task.id) ?? task.id,
      goal: task.goal,
      ...(needs.length === 0 ? {} : { needs: needs.map((need) => named.get(need) ?? need) }),
      config: taskConfig(context.project.root, { ...flags, worktree: true }, config, one),
    }
  })
  const onto = flags.onto === undefined ? {} : { onto: flags.onto }
  return startParallel(context, flags, request.name, { goal: request.goal, mode: 'tasks', children, parallel, ...onto })
}

const PARALLEL_MAX = 64

/** Gives one goal to several agents. */
export async function race(context: CliContext, flags: RaceFlags, goal: string): Promise<number> {
  requireHere(flags)
  if (flags.agent !== undefined || flags.agentCommand !== undefined)
    throw new PawlError('usage.agents', 'A race takes its agents from --agents: leave --agent and --agent-command out.')
  const agents = agentList(flags.agents)
  if (agents.length < 2) throw new PawlError('usage.agents', '--agents takes two agents or more: --agents claude,codex')
  const config = await loadConfig(context.project.configPath)
  const ids = uniqueNames(agents)
  const children = agents.map((agent, index): ParallelChild => {
    const own = { ...flags, agent, worktree: true }
    return {
      id: ids[index] ?? agent,
      goal,
      config: taskConfig(context.project.root, own, config, { goal, name: goal, control: {} }),
    }
  })
  const best = flags.best === true ? { best: true as const } : {}
  const onto = flags.onto === undefined ? {} : { onto: flags.onto }
  return startParallel(context, flags, goal, { goal, mode: 'race', children, parallel: children.length, ...best, ...onto })
}

/** Children are driven by their parent, and not by workers. */
function requireHere({ queue }: { readonly queue?: boolean }): void {
  if (queue) throw new PawlError('usage.queue', "--queue doesn't go with parallel runs: leave it out, or use --detach.")
}

/** Names that runs can have, each unlike the others. */
function uniqueNames(words: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return words.map((word) => {
    const name = nameFromGoal(word, taken)
    taken.add(name)
    return name
  })
}

async function startParallel(
  context: CliContext,
  flags: TaskFlags | RaceFlags,
  name: string,
  settings: ParallelSettings,
): Promise<number> {
  const runConfig = parentConfig(settings)
  if (runConfig.workspace.name !== 'git')
    throw new PawlError(
      'workspace.no-branches',
      `Parallel runs need git, and ${context.project.root} isn't in a git repository.\nRun: git init`,
    )
  for (const config of new Set(settings.children.map((child) => child.config))) warnOfBlindBudget(context, config)
  return withStore(context, async (store) => {
    const run = flags.id === undefined ? await freeParent(store, name, settings) : await knownOrNew(store, flags.id, runConfig)
    const known = await loadState(store, run, builtInFolds)
    return driveRun(context, store, run, known?.given ?? runConfig, { canAsk: flags.ask !== false, detach: flags.detach })
  })
}

/** The parent starts no agent and runs no check itself. */
function parentConfig(settings: ParallelSettings): RunConfig {
  const [first] = settings.children
  if (!first) throw new PawlError('usage.parallel', 'There is nothing to do.')
  const { agent, workspace, isolation, isolations, probe } = first.config
  return {
    loop: parallelSpec(settings),
    guards: [],
    agent,
    checks: [],
    workspace,
    proof: false,
    ...(isolation ? { isolation } : {}),
    ...(isolations ? { isolations } : {}),
    ...(probe === undefined ? {} : { probe }),
  }
}

/** A name under which neither the run nor those of its children exist. */
async function freeParent(store: Store, name: string, { children }: ParallelSettings): Promise<string> {
  const taken = new Set((await store.runs()).map((entry) => entry.run))
  const clean = await redactJson(name)
  for (const tried = new Set(taken); ;) {
    const run = nameFromGoal(clean, tried)
    if (!children.some(({ id }) => taken.has(childRun(run, id, 'work', 1)))) return run
    tried.add(run)
  }
}

async function knownOrNew(store: Store, id: string, config: RunConfig): Promise<string> {
  const run = checkedRunId(id)
  const state = await loadState(store, run, builtInFolds)
  if (!state) {
    const taken = new Set((await store.runs()).map((entry) => entry.run))
    const other = settingsIn(config.loop)
      ?.children.map((child) => childRun(run, child.id, 'work', 1))
      .find((each) => taken.has(each))
    if (other === undefined) return run
    throw new PawlError('usage.other-run', `There is a run ${other} already, which would be one of ${run}: choose another --id.`)
  }
  if (isOver(state))
    throw new PawlError(
      'usage.run-over',
      `Run ${run} is ${state.status} already: choose another --id, or look at it with \`pawl show ${run}\`.`,
    )
  // The journal has the goals without secrets.
  if (JSON.stringify(whatFor(state.config)) !== (await redactJson(JSON.stringify(whatFor(config)))))
    throw new PawlError(
      'usage.other-tasks',
      `Run ${run} exists with other tasks or agents: choose another --id, or continue it with \`pawl resume ${run}\`.`,
    )
  return run
}

/** What the children are to do, in which order. */
function whatFor({ loop }: RunConfig): readonly unknown[] {
  return (settingsIn(loop)?.children ?? []).map((child) => [child.id, child.goal, child.needs ?? []])
}
