import type { InputRequiredResult } from '@modelcontextprotocol/server'
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
import type { JsonObject } from '../../core/json.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { type GuardName, settingsOf } from '../../guards/default-guards.ts'
import { withHistory } from '../../evidence/own-history.ts'
import { briefNow, continueRun, settlePending } from './continue-run.ts'
import { RULE_TYPES } from '../../registry/rule-spec.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { loadConfig } from '../../settings/load-config.ts'
import { type Call, configOf, ITERATION_CONFIG, type ResultOf, TASK_ID, tool } from './tool.ts'
import { AGENT, outsideSettings, type OutsideSettings, outsideSpec } from './outside-agent.ts'
import { runOfTask, type ToolSession, withToolSession } from './tool-session.ts'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { counted } from '../../core/wording.ts'
import type { McpProject } from './project.ts'
import { askForConsent } from './agent-commands.ts'
import { BLOCKED_PROMISE, checksFrom, limitsFrom, loopConfig, projectChecks, recordedFloor } from './loop-config.ts'
import { runInFolder } from '../../engine/run-in-folder.ts'

const PROMISE = matching('a text such as <promise>COMPLETE</promise>', /^<promise>[^<>\n]{1,200}<\/promise>$/)

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
    'What must hold before a promise is believed, besides the checks in pawl.yaml, which always run. They are run by the server, on the files as they are. A command that is not in pawl.yaml needs the consent of a person.',
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
  /** Set when the loop was running already and nothing was begun. */
  resumed: FLAG,
  /** The agent's session that its hook keeps going, where it is bound to one. */
  boundTo: optional(settingsSchema({ agent: WORDS, session: WORDS })),
  warnings: TEXTS,
})

/** A guard's setting, for an agent no more than `max`. */
function limitOf(guard: GuardName, setting: string, max: number) {
  return upTo(max, settingsOf(guard).schema.entries[setting])
}

/** Begins a loop on a task, or finds the one that is running with the same settings. */
export const iterationStart = tool({
  name: 'iteration_start',
  title: 'Begin a loop',
  description:
    'Begins a loop of iterations on a task. Then work, call iteration_validate, and iteration_next for another round, until a promise is accepted. The same call again finds the loop that is running; if a rule could not run, the same call with that rule corrected continues it.',
  input: INPUT,
  output: OUTPUT,
  call: async (args, call) => {
    for (;;) {
      const result = await start(args, call)
      if (result !== 'begun-meanwhile') return result
    }
  },
})

type Started = ResultOf<typeof OUTPUT> | InputRequiredResult

/** `begun-meanwhile` if another call has begun a run of that name since we looked: the next look finds it. */
async function start(args: Args, call: Call): Promise<Started | 'begun-meanwhile'> {
  const { project, signal } = call
  const { state: known, free } = await runOfTask(project, args.taskId)
  const settings = settingsFrom(args)
  const written = await loadConfig(join(project.root, 'pawl.yaml'))
  const isOver = known === undefined || known.status === 'completed' || known.status === 'aborted'
  const isSame = !isOver && hasSameSettings(known, settings)
  if (!isOver && !isSame) await requireCorrection(project, known, settings)
  const run = isOver ? free : known.run
  const floor = isOver ? projectChecks(written) : recordedFloor(known)
  const given = isOver ? loopConfig(project.root, settings, written) : known.config
  const config = isOver ? await withHistory(given, undefined, project.store, project.storePath) : given
  await requireFreeFolder(project, run, config)
  // A run that was begun has the consent that its commands needed.
  const asked = isSame ? undefined : askForConsent(call, checksFrom(settings, floor).ownCommands)
  if (asked) return asked
  return withToolSession(project, { run, signal, config, waitMsMax: START_WAIT_MS_MAX }, async (session) => {
    if (isOver && session.engine.state()) return 'begun-meanwhile'
    if (isOver) await begin(session, config)
    else if (isSame) await settlePending(session)
    else await correct(session, settings)
    return startedView(session, !isOver, isOver ? loweredLimits(settings, written) : [])
  })
}

/** Another server that starts the same task runs its checks once before it is done. */
const START_WAIT_MS_MAX = 20_000

async function begin(session: ToolSession, config: RunConfig): Promise<void> {
  const at = session.parts.clock.now()
  await continueRun(session, { facts: [{ type: 'run.started', at, by: { role: 'runner' }, data: { config } }] })
}

function startedView(session: ToolSession, resumed: boolean, warnings: readonly string[]): ResultOf<typeof OUTPUT> {
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
    warnings: [...warnings, ...warningsOf(state)],
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

function loweredLimits(settings: OutsideSettings, written: PawlConfig | undefined): readonly string[] {
  const { maxIterations, circuitBreakerThreshold } = limitsFrom(settings, written)
  return [
    ...(maxIterations === settings.maxIterations ? [] : [`pawl.yaml allows at most ${counted(maxIterations, 'iteration')}.`]),
    ...(circuitBreakerThreshold === settings.circuitBreakerThreshold
      ? []
      : [`pawl.yaml stops a loop after ${counted(circuitBreakerThreshold, 'failed iteration')} in a row.`]),
  ]
}

type Args = OutputOf<typeof INPUT>

function settingsFrom({ validationRules = [], ...args }: Args): OutsideSettings {
  return { ...args, validationRules: validationRules as readonly JsonObject[], hooks: [] }
}

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** Whether a start asks for the loop that is running, as it was started. */
function hasSameSettings(known: State, settings: OutsideSettings): boolean {
  return isDeepStrictEqual({ maxIterations: iterationsGiven(known), ...outsideSettings(known), hooks: [] }, settings)
}

/**
 * Refuses a start with other settings, unless it corrects rules of a loop that stands because a rule could not run. A rule that has
 * said something once stays: an agent must not get rid of one that it cannot satisfy by breaking it.
 */
async function requireCorrection({ store }: McpProject, known: State, settings: OutsideSettings): Promise<void> {
  const { run } = known
  const before = outsideSettings(known)
  const others = { ...settings, validationRules: before?.validationRules ?? [] }
  const isOfRulesOnly = hasSameSettings(known, others)
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
async function correct(session: ToolSession, given: OutsideSettings): Promise<void> {
  const state = session.state()
  const settings = { ...given, hooks: outsideSettings(state)?.hooks ?? [] }
  const { checks, ownChecks } = checksFrom(settings, recordedFloor(state))
  const config = { ...state.config, agent: outsideSpec(settings), checks, ownChecks }
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
  const message = `Task ${taskId} has a loop ${which} and isn't over: continue with iterationId "${run}", or end it first with: pawl abort ${run}`
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
