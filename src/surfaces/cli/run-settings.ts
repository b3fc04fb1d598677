import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { configWithAnswer } from '../../core/raises.ts'
import { type GuardSpec, partSpec, type PartSpec, type ProofConfig, type RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { settingsOf } from '../../guards/default-guards.ts'
import { budget, maxIterations } from '../../guards/index.ts'
import { PROOF_SETTINGS } from '../../proof/settings.ts'
import { isInRepository, workspaceSpec } from '../../settings/find-project.ts'
import { ISOLATION_SETTINGS, isolationConfig, type IsolationSettings, roleIsolationFlags } from '../../sandbox/settings.ts'
import { PART_SETTINGS } from '../../registry/_settings.ts'
import { camelCase, type Entries, fileFormOf, fileKey, parseDuration } from '../../schema/file-kinds.ts'
import { flagSettings } from '../../schema/flags.ts'
import type { Guard } from '../../core/guard.ts'
import { isReview } from '../../loops/shared/checks.ts'
import { differenceOf } from '../../engine/opening-facts.ts'
import { type AgentFlags, withAgentFlags } from './agent-flags.ts'
import { agentTimeout, withCommonLimit, withTimeLimits } from './agent-time-limits.ts'
import { ruleSpec } from '../../registry/rule-spec.ts'
import { agentCommandLine, checkCommandLine } from '../../settings/command-line.ts'
import type { ConfiguredCheck, PawlConfig } from '../../settings/pawl-config.ts'
import { reportFlag } from '../../registry/report-option.ts'
import { proofConfig } from '../../settings/proof-config.ts'
import { resolveAgent } from '../../settings/resolve-agent.ts'
import { reviewersNamed, thinkerSpec } from '../../settings/reviewers.ts'
import { budgetLimits, configuredGuards } from '../../settings/configured-guards.ts'
import { agentList, type FallbackFlags, type Fallbacks, fallbackSpecs } from './fallback-specs.ts'
import { guardFlags, withGuardFlags } from './guard-flags.ts'

/** The flags that decide how a run goes. */
export interface SettingFlags extends FallbackFlags, AgentFlags {
  readonly agentCommand?: string
  readonly check?: readonly string[]
  /** A format or a file; for one check only. */
  readonly report?: string
  readonly maxIterations?: string
  readonly extendWhileImproving?: string
  readonly budgetUsd?: string
  readonly budgetTokens?: string
  readonly budgetTime?: string
  readonly maxWait?: string
  /** An instant, or a time after the run began. */
  readonly deadline?: string
  readonly timeout?: string
  readonly checkTimeout?: string
  /** `NAME=VALUE`, as often as there are guards to set. */
  readonly guard?: readonly string[]
  readonly worktree?: boolean
  /** Put the run into the queue. */
  readonly queue?: boolean
  readonly priority?: string
  readonly labels?: string
  readonly isolation?: string
  /** `ROLE=KIND`, as often as there are roles. */
  readonly roleIsolation?: readonly string[]
  readonly probe?: boolean
  readonly sessions?: string
  /** Tests that the agent may change. */
  readonly mayChange?: readonly string[]
  /** The weakest proof that counts as done. */
  readonly requireProof?: string
  readonly flaky?: string
  /** Commands that make a folder ready which Pawl made. */
  readonly prepare?: readonly string[]
  /** Any pass counts as done. */
  readonly acceptUnproven?: boolean
}

/** Flags that hold from a run's beginning on. */
export interface StartFlags extends SettingFlags {
  readonly reviewer?: string
  readonly questioner?: string
  readonly protect?: readonly string[]
  /** Who writes tests before the work; that they are to be written goes with it. */
  readonly testWriter?: string
  /** False: every failure is asked about. */
  readonly autoRetry?: boolean
}

/** Flags that change a run which is under way. */
export interface ChangeFlags extends SettingFlags {
  /** Who reviews from now on; of several all must approve. */
  readonly reviewer?: readonly string[]
  /** Takes the checks, `held_out`, `prepare` and the isolation that pawl.yaml has now. */
  readonly reload?: boolean
}

/** The agent as data: a flag, else `agent` of pawl.yaml. Tinker needs to know the checks, since it runs them itself. */
export function agentSpec(flags: SettingFlags, config: PawlConfig | undefined, checks: readonly PartSpec[]): PartSpec {
  const timeoutMs = agentTimeout(flags)
  const timeout = timeoutMs === undefined ? {} : { timeoutMs }
  if (flags.agentCommand !== undefined) {
    const line = agentCommandLine(flags.agentCommand)
    const limit = config?.agentTimeoutMs === undefined ? {} : { timeoutMs: config.agentTimeoutMs }
    return withAgentFlags(partSpec('command', { ...line, ...limit, ...timeout }), flags)
  }
  const name = flags.agent === undefined ? config?.agent : agentList(flags.agent)[0]
  if (name === undefined) {
    throw new PawlError(
      'usage.no-agent',
      'No agent is named: give --agent NAME or --agent-command "CMD", or set `agent:` in pawl.yaml (pawl init writes one; pawl doctor lists what is installed).',
    )
  }
  const resolved = resolveAgent(name, config)
  const variables = name === 'tinker' ? { variables: tinkerVariables(checks) } : {}
  return withAgentFlags(partSpec(resolved.name, { ...resolved.settings, ...timeout, ...variables }), flags)
}

/** Who continues when the agent cannot, as data. What the flags set of the agent itself (its model) is not theirs. */
export function runFallbacks(
  flags: SettingFlags,
  config: PawlConfig | undefined,
  agent: PartSpec,
  checks: readonly PartSpec[],
): Fallbacks {
  return fallbackSpecs(flags, { ...config, fallbacks: config?.fallback }, agent, fallbackMaker(config, checks))
}

function fallbackMaker(config: PawlConfig | undefined, checks: readonly PartSpec[]) {
  return (name: string): PartSpec => agentSpec({ agent: name }, config, checks)
}

/** The checks as data: flags, else those of pawl.yaml; after them the rules. */
function checkSpecs(flags: SettingFlags, config: PawlConfig | undefined): readonly PartSpec[] {
  const specs = givenCheckSpecs(flags, config)
  if (specs.length === 0) {
    throw new PawlError(
      'usage.no-check',
      'No check is given, and without one nothing can be called a success: give --check "npm test", or set `checks:` in pawl.yaml (pawl init finds your test command).',
    )
  }
  return specs
}

/** The same, if there may be none. */
export function givenCheckSpecs(flags: SettingFlags, config: PawlConfig | undefined): readonly PartSpec[] {
  const specs = [...withReport(commandSpecs(flags, config), flags.report), ...(config?.rules ?? []).map(ofRule)]
  const names = specs.map((spec) => spec.settings['name'])
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new PawlError('usage.check-name', `Two checks or rules are called "${String(twice)}": give each a name of its own.`)
  return specs
}

/** The checks as data with those of single tasks behind them. Without checks for all, every task needs its own. */
export function withTaskChecks(
  flags: SettingFlags,
  config: PawlConfig,
  tasks: readonly { readonly id: string; readonly checks?: readonly string[] }[] = [],
): readonly PartSpec[] {
  const hasOwn = tasks.length > 0 && tasks.every(({ checks = [] }) => checks.length > 0)
  const shared = hasOwn ? givenCheckSpecs(flags, config) : checkSpecs(flags, config)
  const known = new Set(shared.map((spec) => spec.settings['name']))
  const own = tasks.flatMap(({ id, checks = [] }) => checks.map((command) => ({ id, command })))
  const twice = own.find(({ command }) => known.has(command))
  if (twice)
    throw new PawlError(
      'usage.check-name',
      `Task "${twice.id}" names the check "${twice.command}", which runs for every task: leave it out.`,
    )
  const commands = [...new Set(own.map(({ command }) => command))]
  const timeoutMs = checkTimeout(flags)
  const limit = timeoutMs === undefined ? {} : { timeoutMs }
  return [...shared, ...commands.map((command) => partSpec('command', { name: command, ...checkCommandLine(command), ...limit }))]
}

/** Marked, since `--check` does not replace it. */
function ofRule(rule: unknown): PartSpec {
  const spec = ruleSpec(rule)
  return { ...spec, settings: { ...spec.settings, [RULE]: true } }
}

const RULE = 'rule'

function commandSpecs(flags: SettingFlags, config: PawlConfig | undefined): readonly PartSpec[] {
  const timeoutMs = checkTimeout(flags)
  const given: readonly ConfiguredCheck[] =
    flags.check?.map((text) => ({ name: text.trim(), ...checkCommandLine(text) })) ?? config?.checks ?? []
  return given.map((check) => partSpec('command', { ...check, ...(timeoutMs === undefined ? {} : { timeoutMs }) }))
}

/** The agent that puts questions into words: a flag, else `questioner` of pawl.yaml, else nobody. */
export function questionerSpec(flags: Pick<StartFlags, 'questioner'>, config: PawlConfig | undefined): PartSpec | undefined {
  const name = flags.questioner ?? config?.questioner
  return name === undefined ? undefined : thinkerSpec('put questions into words', name, config)
}

/** The guards as data: flags over pawl.yaml over the defaults, which harm nobody. */
export function guardSpecs(flags: SettingFlags, config: PawlConfig | undefined): readonly GuardSpec[] {
  const { maxIterations: iterationsWritten = 3, extendWhileImproving: ceiling } = config ?? {}
  const { iterationsMax = iterationsWritten, extendWhileImproving = ceiling } = limitFlags('maxIterations', flags)
  const limits = { ...budgetLimits(config), ...limitFlags('budget', flags) }
  const guards: Guard[] = [maxIterations(iterationsMax, extendWhileImproving === undefined ? {} : { extendWhileImproving })]
  if (Object.values(limits).some((limit) => limit > 0)) guards.push(budget(limits))
  guards.push(...configuredGuards({ ...config?.guards, ...guardFlags(guardTexts(flags)) }))
  return guards.map((guard) => guard.spec)
}

/** `--deadline WHEN` is short for `--guard deadline=WHEN`. A time is counted from the run's start, or from `now` if given. */
function guardTexts({ guard = [], deadline }: SettingFlags, now?: number): readonly string[] {
  if (deadline === undefined) return guard
  const isInstant = now === undefined || /^\d{4}-/.test(deadline)
  return [...guard, `deadline=${isInstant ? deadline : new Date(now + parseDuration(deadline)).toISOString()}`]
}

/**
 * What a run continues with: what holds now, a person's answers included, with what the flags change. Where they change nothing, what
 * it was given, which is no change either.
 */
export function reconfigured(state: State, flags: ChangeFlags, written: PawlConfig | undefined, reload?: Reload): RunConfig {
  const config = withCommonLimit(written, flags)
  const holding = withGivenMaximum(state, configWithAnswer(state).config)
  const checks = changedChecks(holding, flags, config)
  const agent = changedAgent(holding.agent, flags, config, checks)
  const { fallbacks: _names, onLimit: _how, ...rest } = holding
  const others = flags.reload && reload ? reloaded(rest, flags, written, reload) : rest
  const changed = {
    ...others,
    agent,
    ...fallbackSpecs(flags, holding, agent, fallbackMaker(config, checks)),
    checks: [...checks, ...changedReviews(holding, flags, config, checks)],
    guards: changedGuards(holding.guards, flags),
    ...changedProof({ ...holding, ...others }, flags),
  }
  const limited = flags.timeout === undefined || config === undefined ? changed : withTimeLimits(changed, config)
  return differenceOf(holding, limited) === undefined ? state.given : limited
}

/** Where pawl.yaml is, and what it says as a SHA-256. */
export interface Reload {
  readonly root: string
  readonly hash: string
}

/** A configuration with what pawl.yaml says now about held-out checks, preparing and isolation. */
function reloaded<Config extends Pick<RunConfig, 'proof' | 'isolation'>>(
  { isolation: _before, ...holding }: Config,
  flags: SettingFlags,
  config: PawlConfig | undefined,
  { root, hash }: Reload,
): Omit<Config, 'isolation'> & Pick<RunConfig, 'proof' | 'isolation' | 'reloaded'> {
  const { isolation } = isolationSettings(root, flags, config)
  const { prepare, heldOut } = config ?? {}
  const now = { ...(prepare === undefined ? {} : { prepare }), ...(heldOut === undefined ? {} : { heldOut }) }
  const { prepare: _old, heldOut: _then, ...proof } = holding.proof || {}
  return {
    ...holding,
    reloaded: hash,
    ...(holding.proof === false ? {} : { proof: { ...proof, ...now } }),
    ...(isolation ? { isolation } : {}),
  }
}

/** The maximum of the task under way is that task's own: the run's is the one that was given. */
function withGivenMaximum({ unit, given }: State, holding: RunConfig): RunConfig {
  const max = given.guards.find((spec) => spec.name === 'maxIterations')
  if (!unit || !max) return holding
  return { ...holding, guards: holding.guards.map((spec) => (spec.name === 'maxIterations' ? max : spec)) }
}

function changedChecks(
  { loop, checks: holding }: RunConfig,
  flags: ChangeFlags,
  config: PawlConfig | undefined,
): readonly PartSpec[] {
  const { check } = flags
  const { tasks = loop.settings['items'] } = loop.settings
  const ofTasks = new Set<unknown>(
    Array.isArray(tasks) ? tasks.flatMap((task) => (task as { readonly checks?: readonly string[] }).checks ?? []) : [],
  )
  const checks = holding.filter((spec) => !isReview(spec))
  const kept = checks.filter(({ settings }) => settings[RULE] === true || ofTasks.has(settings['name']))
  if (check !== undefined) return [...withReport(commandSpecs(flags, config), flags.report), ...kept]
  if (flags.reload && (config?.checks ?? []).length > 0)
    return [...givenCheckSpecs(flags, config), ...checks.filter(({ settings }) => ofTasks.has(settings['name']))]
  const reported = withReport(checks, flags.report).map((spec) => withEnvironmentOf(config, spec))
  const timeoutMs = checkTimeout(flags)
  if (timeoutMs === undefined) return reported
  return reported.map((each) => (each.name === 'command' ? withTimeout(each, timeoutMs) : each))
}

/** The variables that pawl.yaml passes on to the check by now: a run that asked for one gets it when it continues. */
function withEnvironmentOf(config: PawlConfig | undefined, spec: PartSpec): PartSpec {
  const { name, command, environment = [] } = spec.settings
  const same = config?.checks.find((each) => each.name === name && isDeepStrictEqual(each.command, command))
  const now = same?.environment ?? []
  if (spec.name !== 'command' || !same || isDeepStrictEqual(now, environment)) return spec
  return { ...spec, settings: { ...spec.settings, environment: [...now] } }
}

function changedReviews(
  { loop, checks: holding }: RunConfig,
  { reviewer }: ChangeFlags,
  config: PawlConfig | undefined,
  checks: readonly PartSpec[],
): readonly PartSpec[] {
  if (reviewer === undefined) return holding.filter(isReview)
  if (loop.name === 'research')
    throw new PawlError('usage.reviewer', '--reviewer is not for research: nobody reviews it, its citations are verified.')
  return reviewersNamed(reviewer, config, checks)
}

function changedAgent(
  holding: PartSpec,
  flags: SettingFlags,
  config: PawlConfig | undefined,
  checks: readonly PartSpec[],
): PartSpec {
  if (flags.agent !== undefined || flags.agentCommand !== undefined) return agentSpec(flags, config, checks)
  // Tinker runs the checks itself, so it must know the new ones.
  const isTinker = holding.settings['name'] === 'tinker' && flags.check !== undefined
  if (isTinker) return agentSpec({ ...flags, agent: 'tinker' }, config, checks)
  const set = withAgentFlags(holding, flags)
  const timeoutMs = agentTimeout(flags)
  return timeoutMs === undefined ? set : withTimeout(set, timeoutMs)
}

function changedGuards(recorded: readonly GuardSpec[], flags: SettingFlags): readonly GuardSpec[] {
  const max = limitFlags('maxIterations', flags)
  const limits = limitFlags('budget', flags)
  const changes: Readonly<Record<string, object>> = { maxIterations: max, budget: limits }
  const changed = recorded.map((spec) => ({ ...spec, settings: { ...spec.settings, ...changes[spec.name] } }))
  const isNew = Object.keys(limits).length > 0 && !recorded.some((spec) => spec.name === 'budget')
  return withGuardFlags(isNew ? [...changed, budget(limits).spec] : changed, guardTexts(flags, Date.now()))
}

/** How a success is proved, as data: flags over pawl.yaml. What neither says is absent. */
export function proofSettings(flags: SettingFlags, config?: PawlConfig): Pick<RunConfig, 'proof'> {
  const { mayChange, requireProof, acceptUnproven, flaky, prepare } = flags
  const given = { mayChange, flaky, prepare, requireProof: acceptUnproven ? 'unproven' : requireProof }
  return proofConfig(config, flagSettings(PROOF_SETTINGS.entries, given) as ProofConfig)
}

/** Where a run works and what keeps it there, as data: flags over pawl.yaml. */
export function isolationSettings(
  root: string,
  flags: SettingFlags,
  config: PawlConfig | undefined,
): Pick<RunConfig, 'isolation' | 'isolations' | 'workspace' | 'probe' | 'sessions'> {
  const { isolation: kind, sessions: where } = flags
  const given = flagSettings(ISOLATION_SETTINGS.entries, { isolation: kind, sessions: where }) as IsolationSettings
  const roleIsolation = { ...config?.roleIsolation, ...roleIsolationFlags(flags.roleIsolation) }
  const roles = Object.keys(roleIsolation).length === 0 ? {} : { roleIsolation }
  const settings = { ...config, ...given, ...roles }
  const { isolation, sessions } = settings
  const remote = config?.remote && (isAddress(config.remote) ? config.remote : resolve(root, config.remote))
  const isQueued = flags.queue === true && isInRepository(root)
  const isWorktree = flags.worktree ?? config?.worktree ?? (isolation === 'worktree' || remote !== undefined || isQueued)
  if (remote !== undefined && !isWorktree)
    throw new PawlError('config.remote', '`remote` and `worktree: false` contradict each other: leave one out.')
  if (isolation === 'worktree' && !isWorktree)
    throw new PawlError('config.isolation', '`isolation: worktree` and `worktree: false` contradict each other: leave one out.')
  const isProbed = flags.probe !== false && config?.probe !== false
  return {
    workspace: workspaceSpec(root, isWorktree, remote),
    ...isolationConfig(settings, root),
    ...(isProbed ? {} : { probe: false }),
    ...(sessions === 'run' ? { sessions } : {}),
  }
}

/** `host:path` and `scheme://…`, as git reads them; anything else is a path. */
function isAddress(remote: string): boolean {
  return /^[\w+.-]+:\/\/|^[^/]+:/.test(remote)
}

function changedProof({ loop, proof }: RunConfig, flags: SettingFlags): Pick<RunConfig, 'proof'> {
  const { proof: changed } = proofSettings(flags)
  if (!changed) return {}
  if (loop.name === 'research' || proof === false)
    throw new PawlError(
      'usage.proof',
      `--may-change, --require-proof, --accept-unproven, --flaky and --prepare aren't for ${loop.name}: it changes no files.`,
    )
  return { proof: { ...proof, ...changed } }
}

/** With `--report`, which can only mean the one command there is. */
function withReport(specs: readonly PartSpec[], text: string | undefined): readonly PartSpec[] {
  if (text === undefined) return specs
  const report = { ...reportFlag(text) }
  const count = specs.filter(isCommandCheck).length
  if (count !== 1)
    throw new PawlError(
      'usage.report',
      `--report is for one check, and there ${count === 0 ? 'is none' : `are ${count}`}: write \`report:\` under each of \`checks:\` in pawl.yaml instead.`,
    )
  return specs.map((spec) => (isCommandCheck(spec) ? { ...spec, settings: { ...spec.settings, report } } : spec))
}

function isCommandCheck(spec: PartSpec): boolean {
  return spec.name === 'command' && spec.settings[RULE] !== true
}

function withTimeout(spec: PartSpec, timeoutMs: number): PartSpec {
  return { ...spec, settings: { ...spec.settings, timeoutMs } }
}

/** Few tries at a time, so that its work is seen and judged often. */
const TINKER_TRIES = { PAWL_TINKER_TRIES_MAX: '25' }

function tinkerVariables(checks: readonly PartSpec[]): Readonly<Record<string, string>> {
  const { command, shell, cwd } = checks.find((check) => check.settings['command'] !== undefined)?.settings ?? {}
  if (typeof cwd === 'string') return { ...TINKER_TRIES, PAWL_TINKER_CHECK_SHELL: lineIn(cwd, command, shell === true) }
  const check = shell === true ? { PAWL_TINKER_CHECK_SHELL: String(command) } : { PAWL_TINKER_CHECK: JSON.stringify(command) }
  return { ...TINKER_TRIES, ...check }
}

/** A command in its folder as one line for a shell: tinker starts at the top. */
function lineIn(cwd: string, command: unknown, isShell: boolean): string {
  const words = [command].flat().map((word) => (isShell ? String(word) : quotedWord(String(word))))
  return `cd ${quotedWord(`./${cwd}`)} && ${words.join(' ')}`
}

function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** What the flags set of a limit. */
function limitFlags(name: 'maxIterations' | 'budget', flags: SettingFlags) {
  return flagSettings(settingsOf(name).schema.entries, flags) as Readonly<Record<string, number>>
}

function checkTimeout({ checkTimeout: given }: SettingFlags): number | undefined {
  return flagSettings(PART_SETTINGS['command-check'].entries, { checkTimeout: given })['timeoutMs'] as number | undefined
}

/** The settings of a loop: those of the flags, else those of pawl.yaml. */
export function loopSettings(entries: Entries, flags: object, config: PawlConfig): Readonly<Record<string, unknown>> {
  const written = Object.entries(entries).flatMap(([name, entry]) => {
    const value = fileFormOf(entry).isAbsent
      ? undefined
      : (config as unknown as Readonly<Record<string, unknown>>)[camelCase(fileKey(name, entry))]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(written), ...flagSettings(entries, flags) }
}

/** The experts of pawl.yaml as data, by the guard they are for; nothing if there is none. */
export function expertSpecs(config: PawlConfig | undefined, checks: readonly PartSpec[]): Pick<RunConfig, 'experts'> {
  const experts = Object.entries(config?.experts ?? {}).map(([guard, agent]) => [guard, agentSpec({ agent }, config, checks)])
  return experts.length === 0 ? {} : { experts: Object.fromEntries(experts) }
}
