import type { ProcessIdentity } from '../core/event-data.ts'
import { duration } from '../core/wording.ts'
import { childEnvironment } from '../process/command-options.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import type { WorkRequest, WorkResult } from './agent.ts'

export interface ProgramVariables {
  /** Names of variables that are passed on. */
  readonly environment: readonly string[]
  /** Variables that are set. */
  readonly variables: Readonly<Record<string, string>>
}

/** The environment of a program that works for a run. Its secrets are kept out of everything that is written and shown. */
export function programEnvironment({ environment, variables }: ProgramVariables): Record<string, string> {
  const env = childEnvironment(environment, variables)
  keepSecretsOf(env)
  return env
}

/** How to start a program that works for a run: in its folder, with PAWL_* variables, within its time, and recorded before it begins. */
export function programStart(
  { environment, variables }: ProgramVariables,
  { run, iteration, role, rulings = [], cwd, box }: WorkRequest,
  context: EffectContext,
  timeoutMs: number,
) {
  const own = {
    PAWL_RUN: run,
    PAWL_ITERATION: String(iteration),
    PAWL_ROLE: role,
    ...(rulings.length === 0 ? {} : { PAWL_RULINGS: JSON.stringify(rulings) }),
  }
  return {
    cwd,
    ...(box ? { box } : {}),
    env: programEnvironment({ environment, variables: { ...variables, ...own } }),
    timeoutMs,
    signal: context.signal,
    onStarted: (identity: ProcessIdentity) => context.started(identity),
  }
}

/** How long an agent may work. */
export interface TimeLimit {
  readonly ms: number
  /** Whether it is the rest of the run's or step's time, and not the agent's own limit. */
  readonly isRest: boolean
}

/** The shorter of the agent's own limit and the time left. */
export function timeLimit(timeoutMs: number, leftMs = Infinity): TimeLimit {
  return { ms: Math.min(timeoutMs, leftMs), isRest: leftMs < timeoutMs }
}

/** Why an agent was ended at its limit. An agent that only got less time did not hang. */
export function endedAtLimit(name: string, { ms, isRest }: TimeLimit): string {
  if (isRest) return `No more time was left for ${name}: it was ended after ${duration(ms)} of work.`
  return `${name} was not done within ${ms / 1000} s and was ended.`
}

/** The result with a remark. The remark comes first, because an agent's text may be long. */
export function withRemark(result: WorkResult, remark: string): WorkResult {
  if (result.status === 'aborted') return result
  if (result.status !== 'finished') return { ...result, message: `${remark}\n${result.message}` }
  return { ...result, summary: result.summary === undefined ? remark : `${remark}\n${result.summary}` }
}
