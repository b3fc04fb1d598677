import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { GuardSpec, PartSpec, RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { type GuardName, guardNamed } from '../../guards/default-guards.ts'
import { budget } from '../../guards/index.ts'
import { strictGuard } from '../../guards/safety-checks.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { isReview } from '../../loops/shared/checks.ts'
import { BLOCKED } from '../../loops/shared/promises.ts'
import { isolationConfig } from '../../sandbox/settings.ts'
import { ruleSpec } from '../../registry/rule-spec.ts'
import { budgetLimits, configuredGuards } from '../../settings/configured-guards.ts'
import { workspaceSpec } from '../../settings/find-project.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { proofConfig } from '../../settings/proof-config.ts'
import { resolveAgent } from '../../settings/resolve-agent.ts'
import { checksOf, reviewSpecs } from '../../settings/reviewers.ts'
import { commandText } from '../../settings/user-files.ts'
import { outsideSettings, type OutsideSettings, outsideSpec } from './outside-agent.ts'

/** The promise that never completes, and needs no declaring. */
export const BLOCKED_PROMISE = `<promise>${BLOCKED}</promise>`

/**
 * How a loop goes that an agent begins: the checks, protected files, limits and guards of pawl.yaml, and what the agent adds to them. It
 * can't replace or loosen one.
 */
export function loopConfig(root: string, settings: OutsideSettings, written: PawlConfig | undefined): RunConfig {
  const { taskId: task, completionPromises } = settings
  const promises = completionPromises.filter((each) => each !== BLOCKED_PROMISE)
  const { checks, ownChecks } = checksFrom(settings, projectChecks(written))
  const protect = written?.protect ?? []
  return {
    loop: ralphLoop({ prompt: `Work on the task ${task}.`, promises }).spec,
    guards: guardsFrom(settings, written).filter(({ name }) => checks.length > 0 || !OF_RULES.has(name)),
    agent: outsideSpec(settings),
    checks,
    ...(settings.validationRules.length === 0 ? {} : { ownChecks }),
    workspace: workspaceSpec(root),
    ...reviewerOnRequest(written),
    ...(protect.length === 0 ? {} : { protect }),
    ...proofConfig(written),
    // The checks run in the same boxes as on the command line; the agent is in a session of its own.
    ...isolationConfig(written ?? {}, root),
    program: PROGRAM,
  }
}

/** Who continues with such a run, for people who look at it on the command line. */
const PROGRAM = 'an agent with `pawl mcp`'

/** They judge what the rules say, so without rules they have nothing to say. */
const OF_RULES = new Set(['circuitBreaker', 'qualityRegression'])

/** The checks, rules and reviewer of pawl.yaml. */
export function projectChecks(config: PawlConfig | undefined): readonly PartSpec[] {
  const checks = checksOf(config)
  return [...checks, ...reviewSpecs({}, config, checks)]
}

/** The project's own agent, who reviews the work if a person answers with that. */
function reviewerOnRequest(written: PawlConfig | undefined): Pick<RunConfig, 'roles'> {
  const name = written?.agent
  return name === undefined || name === 'tinker' ? {} : { roles: { reviewer: resolveAgent(name, written) } }
}

/** The checks of a run that the agent did not set: an edit of pawl.yaml since its start changes none of them. */
export function recordedFloor(state: State): readonly PartSpec[] {
  const { checks, ownChecks = outsideSettings(state)?.validationRules.map((rule) => String(rule['name'])) ?? [] } = state.config
  return checks.filter((spec) => !ownChecks.includes(nameOf(spec)))
}

/**
 * The project's checks, then the agent's rules, then the project's reviewer. A rule that runs the same command as one of the checks is that check; any other can't take
 * a check's name.
 */
export function checksFrom(
  { validationRules }: OutsideSettings,
  floor: readonly PartSpec[],
): { readonly checks: readonly PartSpec[]; readonly ownChecks: readonly string[]; readonly ownCommands: readonly string[] } {
  const commands = new Set(floor.map(commandText))
  const isSame = (spec: PartSpec): boolean => spec.settings['command'] !== undefined && commands.has(commandText(spec))
  const own = validationRules.map(ruleSpec).filter((spec) => !isSame(spec))
  const ownChecks = own.map(nameOf)
  const name = floor.map(nameOf).find((each) => ownChecks.includes(each))
  if (name !== undefined) {
    const message = `The rule "${name}" has the name of a check in pawl.yaml, which runs in any case: leave it out, or give it another name.`
    throw new PawlError('mcp.rule-name', message, { value: name })
  }
  const checks = [...floor, ...own].toSorted((one, other) => Number(isReview(one)) - Number(isReview(other)))
  return { checks, ownChecks, ownCommands: [...new Set(own.flatMap((spec) => commandText(spec) ?? []))] }
}

function nameOf({ settings }: PartSpec): string {
  return String(settings['name'])
}

/** The four that decide, in their order; the others do what pawl.yaml says of them, or only tell the agent. */
function guardsFrom(settings: OutsideSettings, written: PawlConfig | undefined): readonly GuardSpec[] {
  const { maxIterations, circuitBreakerThreshold } = limitsFrom(settings, written)
  const deciding = [
    guardNamed('maxIterations', { iterationsMax: maxIterations }),
    guardNamed('circuitBreaker', { ...optionsOf('circuitBreaker', written), failuresMax: circuitBreakerThreshold }),
    guardNamed('qualityRegression', { ...optionsOf('qualityRegression', written), severity: 'trip' }),
    guardNamed('thrashing', { ...optionsOf('thrashing', written), severity: 'trip' }),
  ].map(strictGuard)
  const names = new Set(deciding.map(({ spec }) => spec.name))
  const others = configuredGuards(written?.guards).filter(({ spec }) => !names.has(spec.name))
  const limits = budgetLimits(written)
  const budgets = Object.values(limits).some((limit) => limit > 0) ? [budget(limits)] : []
  return [...deciding, ...budgets, ...others].map(({ spec }) => spec)
}

/** The agent's limits, but none above that of pawl.yaml. */
export function limitsFrom(
  { maxIterations = Infinity, circuitBreakerThreshold }: OutsideSettings,
  written: PawlConfig | undefined,
): { readonly maxIterations: number; readonly circuitBreakerThreshold: number } {
  const { failuresMax } = optionsOf('circuitBreaker', written) as { readonly failuresMax?: number }
  return {
    maxIterations: Math.min(maxIterations, written?.maxIterations ?? Infinity),
    circuitBreakerThreshold: Math.min(circuitBreakerThreshold, failuresMax ?? Infinity),
  }
}

/** What pawl.yaml sets of a guard, without how strictly it decides. */
function optionsOf(name: GuardName, written: PawlConfig | undefined): JsonObject {
  const given = written?.guards?.[name] ?? 'off'
  if (given === 'off') return {}
  const { severity: _severity, patience: _patience, ...options } = given
  return options as JsonObject
}
