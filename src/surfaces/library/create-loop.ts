import { type Boxes, boxesOf } from '../../sandbox/boxed.ts'
import { heldOutFolder } from '../../engine/held-out.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { ProofConfig } from '../../core/run-config.ts'
import { PROOF_SETTINGS } from '../../proof/settings.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { agentName, type GuardSpec, type OwnIsolations, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import { CUSTOM } from '../../guards/custom.ts'
import { defaultGuards, guardFrom } from '../../guards/index.ts'
import { type Outcome, outcomeOf } from '../../core/outcome.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { checkedRunId } from '../../core/names.ts'
import { requirePlayers } from '../../loops/research/index.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Answer, DriveOptions, Parts, Person } from '../../engine/parts.ts'
import type { SealedEvent, Store } from '../../stores/store.ts'
import { abortRun, answerRun, disputeGuard, waiveGuard } from '../../engine/person-facts.ts'
import { drive, type DriveResult } from '../../engine/drive.ts'
import { loadState } from '../../engine/session.ts'
import { machineProcesses } from '../../process/processes.ts'
import { systemClock } from '../../process/clock.ts'
import {
  ANYTHING,
  eitherOf,
  type EntriesOf,
  exactly,
  FLAG,
  FUNCTION,
  having,
  listOf,
  mapOf,
  MILLISECONDS,
  needed,
  notBlank,
  oneOf,
  optional,
  settingsSchema,
  SIGNAL,
  TEXT,
  TEXTS,
  wholeNumber,
  WORDS,
} from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import type { Guard } from '../../core/guard.ts'
import type { Loop } from '../../core/loop.ts'
import type { Check } from '../../checks/check.ts'
import type { Codebase } from '../../codebase/codebase.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { wantedBy } from '../../schema/schema-at.ts'
import { AGENT, CHECK, CODEBASE, GUARDS, LOOP, STORE, WORKSPACE } from '../../schema/part-kinds.ts'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { underCeilings } from '../../engine/ceilings.ts'
import type { CeilingLimits } from '../../stores/sqlite-ledger.ts'
import { accountCeilings } from '../../settings/ceilings.ts'
import { CEILINGS } from '../../settings/project-schema.ts'
import { redactJson } from '../../secrets/filter.ts'

/** A loop that can be run, answered and looked at. */
export interface PawlLoop {
  /** Starts the run, or continues it where it is: running a known id is resuming it. */
  run(run: string, options?: DriveOptions): Promise<DriveResult>
  /** Answers the open question. Throws `question.none` or `question.no-such-option`. */
  answer(run: string, answer: Answer): Promise<void>
  /** Lets a guard be passed once. */
  waive(run: string, guard: string, note?: string): Promise<void>
  /** Says that a guard was wrong: it is passed once, and that is counted against it. Throws `usage.guard-limit` for a limit. */
  dispute(run: string, guard: string, note?: string): Promise<void>
  /** Ends the run for good; whoever drives it stops at once, and an agent whose driver is gone is ended. */
  abort(run: string, reason?: string): Promise<void>
  /** Where the run is; `undefined` when there is no such run. */
  outcome(run: string): Promise<Outcome | undefined>
  /** Its journal. */
  events(run: string): Promise<readonly SealedEvent[]>
}

/** Puts the parts of a loop together. Everything is checked here, so that a run never fails on a wrong option. */
export function createLoop(options: LoopOptions): PawlLoop {
  readOptions('createLoop', LOOP_OPTIONS, options)
  const parts = partsOf(options)
  const { store, clock } = parts
  return {
    run: (run, driveOptions = {}) => {
      readOptions('run', RUN_OPTIONS, driveOptions)
      if (driveOptions.answer !== undefined) requireAnswer('run: answer', driveOptions.answer)
      return drive(parts, checkedRunId(run), driveOptions)
    },
    answer: async (run, answer) => {
      requireAnswer('answer', answer)
      return answerRun(store, clock, run, answer)
    },
    waive: (run, guard, note) => waiveGuard(store, clock, run, guard, note),
    dispute: (run, guard, note) => disputeGuard(store, clock, run, guard, note),
    abort: (run, reason) => abortRun(parts, run, reason),
    outcome: async (run) => {
      const state = await loadState(store, run, builtInFolds)
      return state && outcomeOf(state)
    },
    events: (run) => store.read(run),
  }
}

const RUN_OPTIONS = settingsSchema({
  signal: optional(SIGNAL),
  answer: ANYTHING,
  onEvent: optional(FUNCTION),
  onTakenUp: optional(FUNCTION),
  mayUndo: optional(FLAG),
  onProgress: optional(FUNCTION),
  iterationsMax: optional(wholeNumber(1)),
  leavesTimers: optional(FLAG),
  pollMs: optional(MILLISECONDS),
} satisfies EntriesOf<DriveOptions>)

/** A note under another name would be lost. */
function requireAnswer(owner: string, answer: Answer): void {
  readOptions(owner, OPTIONS, answer)
}

const CHOICE = notBlank('the name of an option, or its number as a text')

function partsOf(options: LoopOptions): Parts {
  const parts = plainParts(options)
  const { isolation, isolations = {} } = options
  const heldOut = heldOutFolder(parts.config)
  const boxes = boxesOf({
    loop: options.loop.spec.name,
    ...(isolation ? { isolation } : {}),
    isolations,
    hidden: heldOut === undefined ? [] : [heldOut],
  })
  return withCeilings(boxes ? isolated(parts, boxes) : parts, options.ceilings)
}

/** Every agent under the ceilings of the user's account, and under those that are given. A reviewer's agent is in its check. */
function withCeilings(parts: Parts, given: LoopOptions['ceilings']): Parts {
  const { path, ...limits } = given ?? { path: '' }
  const own = given ? [{ scope: 'project' as const, path: resolve(path), limits, setIn: 'the options of createLoop' }] : []
  const ofAccount = accountCeilings()
  const find = async () => [...own, ...(await ofAccount())]
  const under = (agent: Agent): Agent => underCeilings(agent, find)
  const { roles, fallbacks, questioner, agentOf, checkOf } = parts
  const underIn = (check: Check): Check => check.reviewer?.withAgent(under(check.reviewer.agent)) ?? check
  return {
    ...parts,
    agent: under(parts.agent),
    checks: parts.checks.map(underIn),
    ...(roles ? { roles: Object.fromEntries(Object.entries(roles).map(([role, player]) => [role, under(player)])) } : {}),
    ...(fallbacks ? { fallbacks: fallbacks.map(under) } : {}),
    ...(questioner ? { questioner: under(questioner) } : {}),
    ...(agentOf ? { agentOf: async (spec: PartSpec) => under(await agentOf(spec)) } : {}),
    ...(checkOf ? { checkOf: async (spec: PartSpec) => underIn(await checkOf(spec)) } : {}),
  }
}

function isolated(parts: Parts, boxes: Boxes): Parts {
  const { agent, roles, fallbacks, questioner, agentOf, checks } = parts
  const boxed = (each: Agent, role = 'coder'): Agent => boxes.agent(each, role)
  return {
    ...parts,
    agent: boxed(agent),
    checks: checks.map(boxes.check),
    ...(roles ? { roles: Object.fromEntries(Object.entries(roles).map(([role, player]) => [role, boxed(player, role)])) } : {}),
    ...(fallbacks ? { fallbacks: fallbacks.map((each) => boxed(each)) } : {}),
    ...(questioner ? { questioner: boxed(questioner, 'questioner') } : {}),
    ...(agentOf ? { agentOf: async (spec: PartSpec) => boxed(await agentOf(spec)) } : {}),
    checkOf: (spec) => import('../../registry/parts-from.ts').then(({ checkFrom }) => checkFrom(spec, { boxes })),
    ...(boxes.open ? { boxFor: boxes.open } : {}),
  }
}

/** The same as data. */
function recordedIsolations({ roles, checks }: OwnIsolations<Isolation>): OwnIsolations {
  return { ...(roles ? { roles: specsOf(roles) } : {}), ...(checks ? { checks: specsOf(checks) } : {}) }
}

function specsOf(all: NonNullable<OwnIsolations<Isolation>['roles']>): NonNullable<OwnIsolations['roles']> {
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, each === 'none' ? each : each.spec] as const))
}

function plainParts(options: LoopOptions): Parts {
  const { loop, guards = defaultGuards(), agent, checks, workspace, store, person, protect, questioner, textsFolder } = options
  const experts = Object.entries(options.experts ?? {})
  const roles = Object.entries(options.roles ?? {})
  const { fallbacks = [] } = options
  requireOwnNames([agent, ...fallbacks])
  if (loop.spec.name === 'research') requirePlayers(loop.spec, Object.keys(options.roles ?? {}))
  // Research, and a loop of your own, may judge without checks. A task's verdict rests on them.
  if (checks.length === 0 && (!loop.verdict || loop.spec.name === 'task'))
    throw new PawlError('loop.no-checks', 'A loop needs at least one check: without one nothing can be called a success.')
  const names = checks.map((check) => check.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new PawlError('loop.check-twice', `Two checks are called "${twice}"; give each a name of its own.`)
  const config: RunConfig = {
    loop: loop.spec,
    guards: guards.map((guard) => guard.spec),
    agent: agent.spec,
    checks: checks.map((check) => check.spec),
    workspace: workspace.spec,
    ...(protect ? { protect } : {}),
    ...(options.isolation ? { isolation: options.isolation.spec } : {}),
    ...(options.isolations ? { isolations: recordedIsolations(options.isolations) } : {}),
    ...(options.proof ? { proof: options.proof } : {}),
    ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles.map(([role, { spec }]) => [role, spec])) }),
    ...(fallbacks.length === 0 ? {} : { fallbacks: fallbacks.map(({ spec }) => spec) }),
    ...(options.onLimit === undefined ? {} : { onLimit: options.onLimit }),
    ...(experts.length === 0 ? {} : { experts: Object.fromEntries(experts.map(([guard, { spec }]) => [guard, spec])) }),
    ...(questioner ? { questioner: questioner.spec } : {}),
    ...(isFunctionOfProgram(options) ? { program: options.program ?? process.argv[1] ?? 'a program' } : {}),
  }
  const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec, guards) })
  return {
    definition,
    config,
    agent,
    ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    checkOf: (spec) => import('../../registry/parts-from.ts').then(({ checkFrom }) => checkFrom(spec)),
    agentOf: expertOf([agent, ...experts.map(([, expert]) => expert)]),
    checks,
    workspace,
    ...(options.codebase ? { codebase: options.codebase } : {}),
    store,
    clock: systemClock,
    processes: machineProcesses,
    ...(questioner ? { questioner } : {}),
    ...(textsFolder === undefined ? {} : { textsFolder }),
    ...(person ? { person } : {}),
  }
}

/** Facts tell agents apart by their names. */
function requireOwnNames(agents: readonly Agent[]): void {
  const names = agents.map(({ spec }) => agentName(spec))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw new PawlError(
    'loop.agent-twice',
    `Two of the agent and its fallbacks are called "${twice}": give each a name of its own.`,
  )
}

/** The CLI can rebuild the parts that ship with Pawl; functions live only in the program that has them. */
function isFunctionOfProgram(options: LoopOptions): boolean {
  const { guards = [], agent, checks, loop, experts = {}, roles = {}, fallbacks = [], questioner } = options
  const agents = [agent, ...fallbacks, ...Object.values(experts), ...Object.values(roles)].map(({ spec }) => spec)
  // A reviewer is a check, and the agent in it may be a function as well.
  const thinkers = [questioner?.spec, ...checks.map(({ spec }) => spec.settings['agent'] as unknown as PartSpec | undefined)]
  const others = [...agents, loop.spec, ...checks.map((check) => check.spec), ...thinkers.filter((spec) => spec !== undefined)]
  const hasRules = loop.spec.settings['contractRules'] !== undefined
  return hasRules || guards.some((guard) => hasCustom(guard.spec)) || others.some((spec) => spec.name === CUSTOM)
}

function hasCustom({ name, parts = [] }: GuardSpec): boolean {
  return name === CUSTOM || parts.some(hasCustom)
}

const OPTIONS = settingsSchema({ choice: needed(CHOICE), note: optional(WORDS) })

export interface LoopOptions {
  readonly loop: Loop
  /** Default: `defaultGuards()`: at most 3 iterations, a circuit breaker, tampering; the other guards only warn. */
  readonly guards?: readonly Guard[]
  readonly agent: Agent
  /** At least one: without a check nothing can be called a success. Research needs none: its citations are verified. */
  readonly checks: readonly Check[]
  readonly workspace: Workspace
  /** The files that research is about. Default: none, which only research minds. */
  readonly codebase?: Codebase
  readonly store: Store
  /** Globs of files the agent must not change; `pawl.yaml` and `.pawl/` are always among them. Default: none besides. */
  readonly protect?: readonly string[]
  /** What keeps agents and checks away from the rest of the machine. Default: nothing. */
  readonly isolation?: Isolation
  /** What single roles (`coder`, `reviewer`, `planner` …) and checks have instead, by their names. Default: nothing else. */
  readonly isolations?: OwnIsolations<Isolation>
  /** How a success is proved. Default: anything but `unproven` counts as done. */
  readonly proof?: ProofConfig
  /** Agents that play single roles of the loop, by the name of the role (`coder_a`). Default: `agent` plays them all. */
  readonly roles?: Readonly<Record<string, Agent>>
  /** Agents that continue in this order when one cannot: at a provider's limit, or because it is not there. Default: none. */
  readonly fallbacks?: readonly Agent[]
  /** Whether a provider's limit is always waited for, or never while another agent can continue. Default: waited for when its end is known and near (10 minutes). */
  readonly onLimit?: 'wait' | 'switch'
  /** What all runs that share the ledger at `path` may use together; those of the user's account hold besides. Default: none. */
  readonly ceilings?: CeilingLimits & { readonly path: string }
  /** Agents that a person may put to work when a guard has tripped, by the name of the guard. Default: none. */
  readonly experts?: Readonly<Record<string, Agent>>
  /** An agent that puts questions into words. Default: they are asked as they are. */
  readonly questioner?: Agent
  /** A folder for the texts that a brief speaks of. Default: the agent is not told where the whole output is. */
  readonly textsFolder?: string
  /** Asked when a question comes up; without one the question waits in the journal and `run` returns `escalated`. */
  readonly person?: Person
  /** The name of this program, recorded in the run when a guard is a function of it. Default: `process.argv[1]`. */
  readonly program?: string
}

const ISOLATION = having('an isolation such as sandbox()', 'open')
const ISOLATIONS = mapOf(
  'isolations by names, such as { tests: sandbox() }',
  eitherOf("an isolation such as sandbox(), or 'none'", ISOLATION, exactly('none')),
)

/** What may stand for each of them. */
const LOOP_OPTIONS = settingsSchema({
  loop: needed(LOOP),
  guards: optional(GUARDS),
  agent: needed(AGENT),
  checks: needed(listOf(`a list, each of it ${wantedBy(CHECK)}`, CHECK)),
  workspace: needed(WORKSPACE),
  codebase: optional(CODEBASE),
  store: needed(STORE),
  protect: optional(TEXTS),
  isolation: optional(ISOLATION),
  isolations: optional(settingsSchema({ roles: optional(ISOLATIONS), checks: optional(ISOLATIONS) })),
  proof: optional(PROOF_SETTINGS),
  roles: optional(mapOf('agents by the names of roles', AGENT)),
  fallbacks: optional(listOf('a list of agents', AGENT)),
  onLimit: optional(oneOf(['wait', 'switch'])),
  ceilings: optional(
    settingsSchema({ ...CEILINGS.entries, path: needed(notBlank('the path of a file')) }, 'ceilings and the path of a ledger'),
  ),
  experts: optional(mapOf('agents by the names of guards', AGENT)),
  questioner: optional(AGENT),
  textsFolder: optional(TEXT),
  person: optional(having('someone with a function ask', 'ask')),
  program: optional(TEXT),
} satisfies EntriesOf<LoopOptions>)

/** Finds an agent of this program by its data as the journal has it, where secrets are left out. */
function expertOf(experts: readonly Agent[]): (spec: PartSpec) => Promise<Agent> {
  return async (spec) => {
    for (const expert of experts) {
      const recorded: unknown = JSON.parse(JSON.stringify(await redactJson(expert.spec)))
      if (isDeepStrictEqual(recorded, JSON.parse(JSON.stringify(spec)))) return expert
    }
    throw new PawlError(
      'run.no-expert',
      `A person put the agent ${agentName(spec)} to work, and this program does not have it: give it in experts.`,
      { value: spec },
    )
  }
}
