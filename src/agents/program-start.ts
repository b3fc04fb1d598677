import type { ProcessIdentity } from '../core/event-data.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import type { WorkRequest } from './agent.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { childEnvironment } from '../process/command-options.ts'

export interface ProgramVariables {
  /** Names of variables that are passed on. */
  readonly environment: readonly string[]
  /** Variables that are set. */
  readonly variables: Readonly<Record<string, string>>
}

/** The environment of a program that works for a run. What is secret in it is kept out of all that is written and shown. */
export function programEnvironment({ environment, variables }: ProgramVariables): Record<string, string> {
  const env = childEnvironment(environment, variables)
  keepSecretsOf(env)
  return env
}

/** How every program that works for a run is started: in its folder, told what it works for, within its time, and on record before it begins. */
export function programStart(
  { environment, variables }: ProgramVariables,
  { run, iteration, role, rulings = [], cwd }: WorkRequest,
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
    env: programEnvironment({ environment, variables: { ...variables, ...own } }),
    timeoutMs,
    signal: context.signal,
    onStarted: (identity: ProcessIdentity) => context.started(identity),
  }
}
