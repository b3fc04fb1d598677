import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { type ReviewItem, reviewLoop, type ReviewSettings } from '../../loops/review/index.ts'
import type { PawlConfig } from './config/pawl-config.ts'
import type { TaskList } from './config/task-list.ts'
import { expertSpecs } from './expert-specs.ts'
import { agentSpec, checkSpecs, guardSpecs, questionerSpec, reviewSpecs, type StartFlags } from './run-settings.ts'
import { workspaceSpec } from './task-config.ts'

export interface ReviewFlags extends StartFlags {
  readonly id?: string
  /** Agents that code, with or without a name of their own: `claude`, `fast=claude`. */
  readonly coder?: readonly string[]
  readonly alternate?: boolean
  /** A commit for every finished item. */
  readonly commit?: boolean
  readonly maxRework?: string
  readonly similarity?: string
  readonly maxTestFailures?: string
  readonly maxRepairs?: string
  readonly ask?: boolean
}

/** Everything that decides how a run of the review loop goes: flags over the plan over pawl.yaml over the defaults. */
export function reviewConfig(
  root: string,
  flags: ReviewFlags,
  written: PawlConfig | undefined,
  plan: TaskList & { readonly goal: string },
): RunConfig {
  const config: PawlConfig = { agents: {}, checks: [], maxIterations: ITERATIONS_MAX, ...written, ...plan.control }
  const checks = checkSpecs(flags, config)
  const reviewer = flags.reviewer ?? config.roles?.['reviewer'] ?? config.reviewer
  if (reviewer === undefined)
    throw new PawlError(
      'usage.no-reviewer',
      'No reviewer is named: give --reviewer AGENT or --reviewer person, or set `reviewer:` in pawl.yaml. (Without one, `pawl task` does the same.)',
    )
  const workspace = workspaceSpec(root, flags.worktree ?? config.worktree ?? false)
  if (flags.commit && workspace.name !== 'git')
    throw new PawlError('usage.no-repository', `--commit needs a git repository, and ${root} is none: run \`git init\` first.`)
  const roles = playersOf(flags, config, checks)
  const coders = Object.keys(roles).filter((role) => role !== REPAIRER)
  const agent = agentOf(flags, config, checks, coders[0] === undefined ? undefined : roles[coders[0]])
  const protect = flags.protect ?? config.protect ?? []
  const questioner = questionerSpec(flags, config)
  return {
    loop: reviewLoop(settingsOf(flags, config, plan, coders)).spec,
    guards: guardSpecs(flags, config),
    agent,
    ...(Object.keys(roles).length === 0 ? {} : { roles }),
    checks: [...checks, ...reviewSpecs({ ...flags, reviewer }, config, checks)],
    workspace,
    ...(protect.length === 0 ? {} : { protect }),
    ...expertSpecs(config, checks),
    ...(questioner === undefined ? {} : { questioner }),
  }
}

/** How many iterations an item may take where nothing else is said: more than the loop's own limits let it. */
const ITERATIONS_MAX = 10

const REPAIRER = 'repairer'

/** Who plays which role: the coders of the flags, else those of pawl.yaml, and its repairer. */
function playersOf(flags: ReviewFlags, config: PawlConfig, checks: readonly PartSpec[]): Readonly<Record<string, PartSpec>> {
  const { [REPAIRER]: repairer, reviewer: _apart, ...coders } = config.roles ?? {}
  const { agent: _all, agentCommand: _command, ...rest } = flags
  // An agent that is named for everything does everything, unless coders are named too.
  const isForAll = flags.agent !== undefined || flags.agentCommand !== undefined
  const named = flags.coder ? codersFrom(flags.coder) : isForAll ? [] : Object.entries(coders)
  const players = repairer === undefined ? named : [...named, [REPAIRER, repairer] as const]
  return Object.fromEntries(players.map(([role, agent]) => [role, agentSpec({ ...rest, agent }, config, checks)]))
}

function codersFrom(texts: readonly string[]): readonly (readonly [name: string, agent: string])[] {
  const coders = texts.map((text) => {
    const [, name, agent = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(text) ?? []
    return [(name ?? agent).trim(), agent.trim()] as const
  })
  const names = coders.map(([name]) => name)
  const wrong = names.find((name, index) => name === '' || name === REPAIRER || names.indexOf(name) !== index)
  if (wrong !== undefined)
    throw new PawlError(
      'usage.coder',
      `--coder "${wrong}" cannot be used: every coder needs a name of its own, such as --coder one=claude --coder two=claude.`,
      { value: wrong },
    )
  return coders
}

/** Where every coder has an agent of its own, the first of them does what nobody is named for. */
function agentOf(flags: ReviewFlags, config: PawlConfig, checks: readonly PartSpec[], first: PartSpec | undefined): PartSpec {
  const isNamed = flags.agent !== undefined || flags.agentCommand !== undefined || config.agent !== undefined
  return !isNamed && first ? first : agentSpec(flags, config, checks)
}

function settingsOf(
  flags: ReviewFlags,
  { feedbackMaxLength }: PawlConfig,
  { goal, tasks }: TaskList & { readonly goal: string },
  coders: readonly string[],
): ReviewSettings {
  const counts = {
    reworkCyclesMax: count('--max-rework', flags.maxRework),
    testFailuresMax: count('--max-test-failures', flags.maxTestFailures),
    environmentRepairsMax: count('--max-repairs', flags.maxRepairs, 0),
    similarityMin: share('--similarity', flags.similarity),
    feedbackLengthMax: feedbackMaxLength,
  }
  return {
    goal,
    items: tasks.map(itemFrom),
    ...(coders.length === 0 ? {} : { coders }),
    ...(flags.alternate ? { alternatesOnRework: true } : {}),
    ...(flags.commit ? { commits: true } : {}),
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined)),
  }
}

/** What a file of tasks may say of one that only the task loop does is not left out in silence. */
function itemFrom({ id, goal, iterationsMax, ...others }: TaskList['tasks'][number]): ReviewItem {
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new PawlError(
      'usage.plan',
      `Item "${id}" sets something of the task loop (${other}), which a review does not know: of the settings of an item it takes max_iterations only.`,
      { value: other },
    )
  return { id, goal, ...(iterationsMax === undefined ? {} : { iterationsMax }) }
}

function count(flag: string, text: string | undefined, min = 1): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= min) return value
  throw new PawlError('usage.number', `${flag} takes a whole number of at least ${min}, not "${text}".`, { value: text })
}

function share(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= 1) return value
  throw new PawlError('usage.number', `${flag} takes a share above 0 and up to 1, such as 0.97, not "${text}".`, { value: text })
}
