import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { REVIEW_ITERATIONS_MAX, REVIEW_LOOP } from '../../loops/review/settings.ts'
import { type ReviewItem, reviewLoop, type ReviewSettings, taskTypeOf } from '../../loops/review/index.ts'
import { withCommonLimit } from './agent-time-limits.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import type { ListedTask, TaskControl } from '../../settings/task-list.ts'
import { commonConfig } from './common-config.ts'
import { agentSpec, loopSettings, type StartFlags, withTaskChecks } from './run-settings.ts'
import { reviewersNamed, thinkerSpec } from '../../settings/reviewers.ts'

export interface ReviewFlags extends Omit<StartFlags, 'reviewer'> {
  /** Who reviews every pass; of several all must approve. */
  readonly reviewer?: string | readonly string[]
  readonly id?: string
  /** Agents that code, with or without their own name: `claude`, `fast=claude`. */
  readonly coder?: readonly string[]
  /** What the items are for; without a file of them the planner makes them from it. */
  readonly goal?: string
  /** The agent that makes the plan. */
  readonly planner?: string
  readonly testerOverrulesSecurity?: boolean
  readonly alternate?: boolean
  /** A commit for every finished item. */
  readonly commit?: boolean
  readonly maxRework?: string
  readonly similarity?: string
  readonly maxTestFailures?: string
  readonly maxRepairs?: string
  readonly ask?: boolean
  /** Run in the background. */
  readonly detach?: boolean
}

/** What is to be done: the items of a file, or a goal for the planner. */
export interface ReviewRequest {
  readonly goal: string
  readonly tasks?: readonly ListedTask[]
  readonly control?: TaskControl
}

/** Everything that decides how a run of the review loop goes: flags over the plan over pawl.yaml over the defaults. */
export function reviewConfig(root: string, flags: ReviewFlags, written: PawlConfig | undefined, plan: ReviewRequest): RunConfig {
  const given: PawlConfig = { agents: {}, checks: [], maxIterations: REVIEW_ITERATIONS_MAX, ...written, ...plan.control }
  const config = withCommonLimit(given, flags)
  const checks = withTaskChecks(flags, config, plan.tasks)
  const { reviewer: _given, ...others } = flags
  const reviews = reviewersOf(flags, config, checks)
  const roles = playersOf(flags, config, checks, plan.tasks === undefined)
  const coders = Object.keys(roles).filter((role) => role !== REPAIRER && role !== PLANNER)
  const agent = agentOf(flags, config, checks, coders[0] === undefined ? undefined : roles[coders[0]])
  requirePlanner(plan, roles[PLANNER] ?? agent, config)
  const common = commonConfig(root, others, config, { agent, checks, reviews })
  if (flags.commit && common.workspace.name !== 'git')
    throw new PawlError('usage.no-repository', `--commit needs a git repository, and ${root} isn't one: run \`git init\` first.`)
  return {
    loop: reviewLoop(settingsOf(flags, config, plan, coders)).spec,
    ...common,
    ...(Object.keys(roles).length === 0 ? {} : { roles }),
  }
}

/** The reviewers as data: those of the flags, else the one of pawl.yaml. */
function reviewersOf({ reviewer }: ReviewFlags, config: PawlConfig, checks: readonly PartSpec[]): readonly PartSpec[] {
  const written = config.roles?.['reviewer'] ?? config.reviewer
  const names = reviewer === undefined ? (written === undefined ? [] : [written]) : [reviewer].flat()
  if (names.length === 0)
    throw new PawlError(
      'usage.no-reviewer',
      'No reviewer is named: give --reviewer AGENT or --reviewer person, or set `reviewer:` in pawl.yaml. (Without one, `pawl task` does the same.)',
    )
  return reviewersNamed(names, config, checks)
}

const REPAIRER = 'repairer'
const PLANNER = 'planner'

/** Who plays which role: the coders of the flags, else those of pawl.yaml, its repairer, and a planner if there is no plan. */
function playersOf(
  flags: ReviewFlags,
  config: PawlConfig,
  checks: readonly PartSpec[],
  needsPlan: boolean,
): Readonly<Record<string, PartSpec>> {
  const { [REPAIRER]: repairer, [PLANNER]: writtenPlanner, reviewer: _apart, ...coders } = config.roles ?? {}
  const {
    agent: _all,
    agentCommand: _command,
    model: _its,
    session: _own,
    permissionMode: _settings,
    timeout: _common,
    ...rest
  } = flags
  // An agent that is named for everything does everything, unless coders are named too.
  const isForAll = flags.agent !== undefined || flags.agentCommand !== undefined
  const named = flags.coder ? codersFrom(flags.coder) : isForAll ? [] : Object.entries(coders)
  if (!isForAll && named.length > 0) requireNoAgentFlags(flags)
  const players = repairer === undefined ? named : [...named, [REPAIRER, repairer] as const]
  const planner = flags.planner ?? writtenPlanner
  return {
    ...Object.fromEntries(players.map(([role, agent]) => [role, agentSpec({ ...rest, agent }, config, checks)])),
    ...(needsPlan && planner !== undefined ? { [PLANNER]: thinkerSpec('plan', planner, config) } : {}),
  }
}

/** Coders may be of different makers: what one model is called, another has never heard of. */
function requireNoAgentFlags({ model, session, permissionMode }: ReviewFlags): void {
  const given = { '--model': model, '--session': session, '--permission-mode': permissionMode }
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0]
  if (flag === undefined) return
  throw new PawlError(
    'usage.agent-setting',
    `${flag} is for the one agent of --agent, and here several coders work: give each its own under \`agents:\` in pawl.yaml, such as { deep: { driver: claude, model: opus } }, and name that with --coder.`,
  )
}

function codersFrom(texts: readonly string[]): readonly (readonly [name: string, agent: string])[] {
  const coders = texts.map((text) => {
    const [, name, agent = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(text) ?? []
    return [(name ?? agent).trim(), agent.trim()] as const
  })
  const names = coders.map(([name]) => name)
  const several = coders.find(([, agent]) => agent.includes(','))
  if (several)
    throw new PawlError(
      'usage.coder',
      `--coder takes one agent, not "${several[1]}": the agents that take over are the same for all, \`fallback:\` in pawl.yaml.`,
      { value: several[1] },
    )
  const wrong = names.find((name, index) => name === '' || OTHER_ROLES.has(name) || names.indexOf(name) !== index)
  if (wrong !== undefined)
    throw new PawlError(
      'usage.coder',
      `--coder "${wrong}" cannot be used: every coder needs a name of its own, such as --coder one=claude --coder two=claude.`,
      { value: wrong },
    )
  return coders
}

/** Whoever works if nobody else is named plans too, unless it cannot. */
function requirePlanner({ tasks }: ReviewRequest, { settings: { name } }: PartSpec, config: PawlConfig): void {
  if (tasks === undefined && typeof name === 'string' && name === 'tinker') thinkerSpec('plan', name, config)
}

/** What a coder cannot be called: the names of other roles. */
const OTHER_ROLES: ReadonlySet<string> = new Set([REPAIRER, PLANNER, 'reviewer', 'tester', 'committer'])

/** Where every coder has its own agent, the first of them does what nobody is named for. */
function agentOf(flags: ReviewFlags, config: PawlConfig, checks: readonly PartSpec[], first: PartSpec | undefined): PartSpec {
  const isNamed = flags.agent !== undefined || flags.agentCommand !== undefined || config.agent !== undefined
  return !isNamed && first ? first : agentSpec(flags, config, checks)
}

function settingsOf(
  flags: ReviewFlags,
  config: PawlConfig,
  { goal, tasks }: ReviewRequest,
  coders: readonly string[],
): ReviewSettings {
  return {
    ...loopSettings(REVIEW_LOOP.entries, flags, config),
    goal,
    ...(tasks === undefined ? {} : { items: tasks.map(itemFrom) }),
    ...(coders.length === 0 ? {} : { coders }),
  }
}

/** What a file of tasks may say of one that only the task loop does is not left out in silence. */
function itemFrom({ id, goal, type, checks, iterationsMax, ...others }: ListedTask): ReviewItem {
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new PawlError(
      'usage.plan',
      `Item "${id}" sets something of the task loop (${other}), which a review does not know: of the settings of an item it takes type, checks and max_iterations only.`,
      { value: other },
    )
  return {
    id,
    ...typed(goal, type),
    ...(checks === undefined ? {} : { checks }),
    ...(iterationsMax === undefined ? {} : { iterationsMax }),
  }
}

/** `(docs) Say how to log in`: a known word in front says what an item is about; any other is part of the sentence. */
function typed(goal: string, type: string | undefined): Pick<ReviewItem, 'goal' | 'type'> {
  if (type !== undefined) return { goal, type: taskTypeOf(type) ?? type }
  const [, word = '', rest = ''] = /^\((\w+)\)\s*([^]*)$/.exec(goal) ?? []
  const known = taskTypeOf(word)
  return known === undefined ? { goal } : { goal: rest, type: known }
}
