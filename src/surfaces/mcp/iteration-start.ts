import {
  ANY_MAP,
  byDefault,
  fittingKind,
  FLAG,
  listUpTo,
  matching,
  nameUpTo,
  needed,
  NUMBER,
  oneOf,
  optional,
  type OutputOf,
  settingsSchema,
  someUpTo,
  TEXTS,
  upTo,
  WORDS,
} from '../../schema/kinds.ts'
import { boundNow, sessionWords } from '../../core/outcome.ts'
import { BLOCKED } from '../../loops/shared/promises.ts'
import { circuitBreaker, defaultGuards, maxIterations, qualityRegression, thrashing } from '../../guards/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { GuardSpec, PartSpec, RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { type GuardName, settingsOf } from '../../guards/default-guards.ts'
import { strictGuard } from '../../guards/safety-checks.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { withHistory } from '../../evidence/own-history.ts'
import { briefNow, continueRun, settlePending } from './continue-run.ts'
import { RULE_TYPES, ruleSpec } from '../../registry/rule-spec.ts'
import { workspaceSpec } from '../../settings/find-project.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { loadConfig } from '../../settings/load-config.ts'
import { proofConfig } from '../../settings/proof-config.ts'
import { configOf, ITERATION_CONFIG, type ResultOf, TASK_ID, tool } from './tool.ts'
import { AGENT, outsideSettings, type OutsideSettings, outsideSpec } from './outside-agent.ts'
import { runOfTask, type ToolSession, withToolSession } from './tool-session.ts'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import type { McpProject } from './project.ts'
import { runInFolder } from '../../engine/run-in-folder.ts'

const PROMISE = matching('a text such as <promise>COMPLETE</promise>', /^<promise>[^<>\n]{1,200}<\/promise>$/)

const BLOCKED_PROMISE = `<promise>${BLOCKED}</promise>`

const RULE = needed(
  settingsSchema({ type: oneOf(RULE_TYPES), name: nameUpTo(200), config: ANY_MAP }),
  'command {command, expectedExitCode=0, successExitCodes?, timeout 1000..600000=60000}; content_pattern {pattern, mustMatch=true, target agent_output|task_notes|work_product_latest}; coverage {minCoverage 0..100, format lcov|json|cobertura, scope lines|branches|functions|statements}; file_existence {paths, allMustExist}; custom {validatorId}',
)

const PROMISES = fittingKind(
  'a list with a promise other than BLOCKED',
  fittingKind('a list that names no promise twice', someUpTo(20, 'a list of 1 to 20 promises', PROMISE), isUnique),
  (promises) => promises.some((each) => each !== BLOCKED_PROMISE),
)

const RULES = fittingKind('a list of rules with names of their own', listUpTo(50, 'a list of at most 50 rules', RULE), (rules) =>
  isUnique(rules.map(({ name }) => name)),
)

const INPUT = settingsSchema({
  taskId: TASK_ID,
  maxIterations: needed(limitOf('maxIterations', 'iterationsMax', 100), 'How many iterations there may be.'),
  completionPromises: needed(
    PROMISES,
    'What you will say when you are done, such as <promise>COMPLETE</promise>. Only accepted when every rule passes.',
  ),
  validationRules: optional(
    RULES,
    'What must hold before a promise is believed. They are run by the server, on the files as they are.',
  ),
  circuitBreakerThreshold: byDefault(
    limitOf('circuitBreaker', 'failuresMax', 20),
    3,
    'Failed iterations in a row after which it stops.',
  ),
})

const OUTPUT = settingsSchema({
  iterationId: WORDS,
  taskId: WORDS,
  iterationNumber: NUMBER,
  remainingIterations: NUMBER,
  config: ITERATION_CONFIG,
  /** What the agent is asked to do. */
  instructions: WORDS,
  /** Set when the loop was going on already and nothing was begun. */
  resumed: FLAG,
  /** The agent's session that its hook keeps going, where it is bound to one. */
  boundTo: optional(settingsSchema({ agent: WORDS, session: WORDS })),
  warnings: TEXTS,
})

/** A guard's setting, for an agent no more than `max`. */
function limitOf(guard: GuardName, setting: string, max: number) {
  return upTo(max, settingsOf(guard).schema.entries[setting])
}

/** Begins a loop on a task, or finds the one that is going on with the same settings. */
export const iterationStart = tool({
  name: 'iteration_start',
  title: 'Begin a loop',
  description:
    'Begins a loop of iterations on a task. Then work, call iteration_validate, and iteration_next for another round, until a promise holds. The same call again finds the loop that is going on; where a rule could not run, the same call with that rule corrected goes on with it.',
  input: INPUT,
  output: OUTPUT,
  call: async (args, { project, signal }) => {
    const { state: known, free } = await runOfTask(project, args.taskId)
    const settings = settingsFrom(args)
    const written = await loadConfig(join(project.root, 'pawl.yaml'))
    const given = { ...configFrom(project.root, args, settings, floorIn(written)), ...proofConfig(written) }
    const isOver = known === undefined || known.status === 'completed' || known.status === 'aborted'
    const isSame = isOver || hasSameSettings(known, settings, args.maxIterations)
    if (!isSame) await requireCorrection(project, known, settings, args.maxIterations)
    const run = isOver ? free : known.run
    const config = isOver ? await withHistory(given, undefined, project.store, project.storePath) : given
    await requireFreeFolder(project, run, config)
    return withToolSession(project, { run, signal, config }, async (session) => {
      if (isOver) await begin(session, config)
      else if (isSame) await settlePending(session)
      else await correct(session, config)
      return startedView(session, !isOver)
    })
  },
})

async function begin(session: ToolSession, config: RunConfig): Promise<void> {
  const at = session.parts.clock.now()
  await continueRun(session, { facts: [{ type: 'run.started', at, by: { role: 'runner' }, data: { config } }] })
}

function startedView(session: ToolSession, resumed: boolean): ResultOf<typeof OUTPUT> {
  const state = session.state()
  const config = configOf(state)
  const isUnchecked = state.status === 'running' && state.current.work.length > 0
  const standing = isUnchecked
    ? 'Call iteration_validate: this work was not checked by the rules as they are now.'
    : state.message
  const instructions = briefNow(session, state) ?? state.question?.question.text ?? standing
  const bound = boundNow(state)
  return {
    iterationId: state.run,
    taskId: outsideSettings(state)?.taskId ?? '',
    iterationNumber: state.current.number,
    remainingIterations: Math.max(0, config.maxIterations - state.current.number),
    config,
    instructions,
    resumed,
    boundTo: bound && { agent: bound.agent, session: bound.session },
    warnings: warningsOf(state),
  }
}

function warningsOf(state: State): string[] {
  const bound = boundNow(state)
  const held = bound
    ? [
        `This loop belongs to ${sessionWords(bound)}, which its hook keeps going. If that is not your session, take it over with: pawl bind ${state.run}`,
      ]
    : []
  const bare =
    state.config.checks.length > 0
      ? []
      : ['There are no validation rules, so nothing can be called a success: a person has to accept the work in the end.']
  return [...held, ...bare]
}

type Args = OutputOf<typeof INPUT>

function settingsFrom({
  taskId: task,
  completionPromises,
  validationRules = [],
  circuitBreakerThreshold,
}: Args): OutsideSettings {
  const rules = validationRules as readonly JsonObject[]
  return { taskId: task, completionPromises, validationRules: rules, circuitBreakerThreshold, hooks: [] }
}

function configFrom(root: string, { maxIterations: iterationsMax }: Args, settings: OutsideSettings, floor: Floor): RunConfig {
  const { taskId: task, completionPromises, validationRules, circuitBreakerThreshold: failuresMax } = settings
  const promises = completionPromises.filter((each) => each !== BLOCKED_PROMISE)
  const checks = withFloor(floor.checks, validationRules.map(ruleSpec))
  return {
    loop: ralphLoop({ prompt: `Work on the task ${task}.`, promises }).spec,
    guards: guardsFrom(iterationsMax, failuresMax).filter(({ name }) => checks.length > 0 || !OF_RULES.has(name)),
    agent: outsideSpec(settings),
    checks,
    ...(validationRules.length === 0 ? {} : { ownChecks: validationRules.map(({ name }) => String(name)) }),
    workspace: workspaceSpec(root),
    ...(floor.protect.length === 0 ? {} : { protect: floor.protect }),
    program: PROGRAM,
  }
}

/** What the project asks of every loop, whatever the agent declares. */
interface Floor {
  readonly checks: readonly PartSpec[]
  readonly protect: readonly string[]
}

function floorIn(config: PawlConfig | undefined): Floor {
  const commands = (config?.checks ?? []).map((check) => ({ name: 'command', v: 1, settings: JSON.parse(JSON.stringify(check)) }))
  return { checks: [...commands, ...(config?.rules ?? []).map(ruleSpec)], protect: config?.protect ?? [] }
}

/** The project's checks first; an agent's rules add to them, and cannot take one's name. */
function withFloor(floor: readonly PartSpec[], rules: readonly PartSpec[]): readonly PartSpec[] {
  const names = new Set(floor.map(({ settings }) => settings['name']))
  const taken = rules.find(({ settings }) => names.has(settings['name']))
  if (!taken) return [...floor, ...rules]
  const name = String(taken.settings['name'])
  const message = `The rule "${name}" has the name of a check in pawl.yaml, which runs in any case: leave it out, or give it another name.`
  throw new PawlError('mcp.rule-name', message, { value: name })
}

/** They judge what the rules say, so without rules they have nothing to say. */
const OF_RULES = new Set(['circuitBreaker', 'qualityRegression'])

/** Who goes on with such a run, for people who look at it on the command line. */
const PROGRAM = 'an agent with `pawl mcp`'

/** The four that decide, in their order; the others only tell the agent. */
function guardsFrom(iterationsMax: number, failuresMax: number): readonly GuardSpec[] {
  const deciding = [
    maxIterations(iterationsMax),
    circuitBreaker({ failuresMax }),
    qualityRegression({ severity: 'trip' }),
    thrashing({ severity: 'trip' }),
  ].map(strictGuard)
  const names = new Set(deciding.map(({ spec }) => spec.name))
  return [...deciding, ...defaultGuards().filter(({ spec }) => !names.has(spec.name))].map(({ spec }) => spec)
}

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** Whether a start asks for the loop that is going on, as it was started. */
function hasSameSettings(known: State, settings: OutsideSettings, iterationsMax: number): boolean {
  return isDeepStrictEqual({ ...outsideSettings(known), hooks: [] }, settings) && iterationsGiven(known) === iterationsMax
}

/**
 * Refuses a start with other settings, unless it corrects rules of a loop that stands because a rule could not run. A rule that has
 * said something once stays: an agent must not get rid of one that it cannot satisfy by breaking it.
 */
async function requireCorrection(
  { store }: McpProject,
  known: State,
  settings: OutsideSettings,
  iterationsMax: number,
): Promise<void> {
  const { run } = known
  const before = outsideSettings(known)
  const others = { ...settings, validationRules: before?.validationRules ?? [] }
  const isOfRulesOnly = hasSameSettings(known, others, iterationsMax)
  if (!known.current.problem) throw goingOn(settings.taskId, run, 'with other settings')
  if (!isOfRulesOnly) throw goingOn(settings.taskId, run, 'in which only the rule that could not run can be corrected')
  const spoken = new Set(
    (await store.read(run)).flatMap((event) =>
      event.type === 'check.passed' || event.type === 'check.failed' ? [event.data.name] : [],
    ),
  )
  const kept = (before?.validationRules ?? []).filter((rule) => spoken.has(String(rule['name'])))
  const changed = kept.find((rule) => !settings.validationRules.some((each) => isDeepStrictEqual(plain(each), plain(rule))))
  if (changed) throw goingOn(settings.taskId, run, `whose rule "${String(changed['name'])}" has run already and stays as it is`)
}

/** The rules as they are corrected, as a fact; the work of this iteration is checked by them with the next validation. */
async function correct(session: ToolSession, { agent, checks }: RunConfig): Promise<void> {
  const state = session.state()
  const { hooks = [] } = outsideSettings(state) ?? {}
  const settings = { ...(agent.settings as unknown as OutsideSettings), hooks }
  const config = { ...state.config, agent: outsideSpec(settings), checks }
  const at = session.parts.clock.now()
  const names = checks.map((check) => String(check.settings['name'])).join(', ')
  const message = `The validation rules were corrected: ${names || 'there are none'}.`
  await session.take([{ type: 'run.reconfigured', at, by: { role: 'runner' }, data: { config, message } }], { hold: true })
}

function iterationsGiven({ given }: State): unknown {
  return given.guards.find(({ name }) => name === 'maxIterations')?.settings['iterationsMax']
}

function plain(rule: JsonObject): unknown {
  return JSON.parse(JSON.stringify(rule))
}

function goingOn(taskId: string, run: string, which: string): PawlError {
  const message = `Task ${taskId} has a loop ${which} and is not over: go on with iterationId "${run}", or end it first with: pawl abort ${run}`
  return new PawlError('mcp.going-on', message, { value: run })
}

/**
 * Refuses to begin beside a run that Pawl drives in the same folder: the two would undo each other's work. Loops that agents drive are
 * no such thing, since their runs are held only while a call lasts.
 */
async function requireFreeFolder({ store }: McpProject, run: string, config: RunConfig): Promise<void> {
  const other = await runInFolder({ store, isDriven }, run, config)
  if (other === undefined) return
  const message = `Run ${other} is being driven in this folder, and two runs would undo each other's work: wait until it is over (run_list), or end it with: pawl abort ${other}`
  throw new PawlError('run.same-folder', message, { value: other })
}

function isDriven({ config: { agent } }: Pick<State, 'config'>): boolean {
  return agent.name !== AGENT
}
