import type { GuardSpec, RunConfig } from '../../core/run-config.ts'

/** What an early stop left unspent, as an estimate: the iterations the run's own limits still allowed, at the run's own average. */
export interface Saving {
  readonly iterations: number
  readonly costUsd: number
  readonly durationMs: number
}

/** What was used up to the stop. */
export interface Spent {
  readonly iterations: number
  /** Attempts at the present task of a plan; the same as `iterations` where there is none. */
  readonly attempts: number
  readonly costUsd: number
  readonly durationMs: number
}

/** The estimate; nothing where no limit says how far the run could have gone. */
export function savingOf(config: RunConfig, spent: Spent): Saving | undefined {
  if (spent.iterations === 0) return undefined
  const costUsdEach = spent.costUsd / spent.iterations
  const durationMsEach = spent.durationMs / spent.iterations
  const allowed = [
    iterationsLeft(config, spent.attempts),
    affordable(limitOf(config, 'costUsdMax'), spent.costUsd, costUsdEach),
    affordable(limitOf(config, 'durationMsMax'), spent.durationMs, durationMsEach),
  ].filter((count) => count !== undefined)
  if (allowed.length === 0) return undefined
  const iterations = Math.max(0, Math.min(...allowed))
  return { iterations, costUsd: iterations * costUsdEach, durationMs: iterations * durationMsEach }
}

/** How many more the maximum allows; absent where there is no maximum. */
export function iterationsLeft({ guards }: RunConfig, attempts: number): number | undefined {
  const max = deciding(guards).find((spec) => spec.name === 'maxIterations')?.settings['iterationsMax']
  return typeof max === 'number' ? max - attempts : undefined
}

/** A limit inside `anyOf` ends a run as well as one that stands alone. */
function deciding(guards: readonly GuardSpec[]): readonly GuardSpec[] {
  return guards
    .filter((spec) => spec.severity === 'trip')
    .flatMap((spec) => (spec.name === 'anyOf' ? deciding(spec.parts ?? []) : [spec]))
}

function limitOf({ guards }: RunConfig, setting: string): number | undefined {
  const max = deciding(guards).find((spec) => spec.name === 'budget')?.settings[setting]
  return typeof max === 'number' && max > 0 ? max : undefined
}

function affordable(max: number | undefined, used: number, each: number): number | undefined {
  return max === undefined || each <= 0 ? undefined : Math.floor((max - used) / each)
}
