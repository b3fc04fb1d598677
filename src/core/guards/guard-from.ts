import type { Guard } from '../guard.ts'
import { PawlError } from '../pawl-error.ts'
import type { GuardSpec } from '../run-config.ts'
import { strictGuard } from '../safety/strict-guard.ts'
import { budget, type BudgetOptions } from './budget.ts'
import { circuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts'
import { allOf, anyOf, not, withSeverity } from './combine.ts'
import { CUSTOM } from './custom.ts'
import { deadline, type DeadlineOptions } from './deadline.ts'
import { emptyIterations, type EmptyIterationsOptions } from './empty-iterations.ts'
import { ladder, type LadderOptions } from './ladder.ts'
import { maxIterations } from './max-iterations.ts'
import { noProgress, type NoProgressOptions } from './no-progress.ts'
import { oscillation, type OscillationOptions } from './oscillation.ts'
import { qualityRegression } from './quality-regression.ts'
import { repeatedAction, type RepeatedActionOptions } from './repeated-action.ts'
import { sameFailure, type SameFailureOptions } from './same-failure.ts'
import { spinningText, type SpinningTextOptions } from './spinning-text.ts'
import { stalledDiff, type StalledDiffOptions } from './stalled-diff.ts'
import { tampering, type TamperingOptions } from './tampering.ts'
import { thrashing, type ThrashingOptions } from './thrashing.ts'
import { worthContinuing, type WorthContinuingOptions } from './worth-continuing.ts'

/** Builds a guard from its data. `custom` are the guards of the program that is running. */
export function guardFrom(spec: GuardSpec, custom: readonly Guard[] = []): Guard {
  const parts = (spec.parts ?? []).map((part) => guardFrom(part, custom))
  const guard = spec.name === CUSTOM ? customOne(spec, custom) : builtIn(spec, parts)
  const severe = guard.spec.severity === spec.severity ? guard : withSeverity(guard, spec.severity)
  return spec.settings['isStrict'] === true ? strictGuard(severe) : severe
}

function builtIn(spec: GuardSpec, parts: readonly Guard[]): Guard {
  const make = factories[spec.name]
  if (!make) {
    const known = Object.keys(factories).join(', ')
    throw new PawlError('guard.unknown', `There is no guard "${spec.name}" in this version of Pawl; it has ${known}.`, {
      value: spec.name,
    })
  }
  return make(spec, parts)
}

const factories: Readonly<Record<string, (spec: GuardSpec, parts: readonly Guard[]) => Guard>> = {
  maxIterations: (spec) => maxIterations(spec.settings['iterationsMax'] as number),
  budget: (spec) => budget(spec.settings as BudgetOptions),
  circuitBreaker: (spec) => circuitBreaker({ ...(spec.settings as CircuitBreakerOptions), severity: spec.severity }),
  sameFailure: (spec) => sameFailure({ ...(spec.settings as SameFailureOptions), severity: spec.severity }),
  tampering: (spec) => tampering({ ...(spec.settings as TamperingOptions), severity: spec.severity }),
  qualityRegression: (spec) => qualityRegression({ severity: spec.severity }),
  thrashing: (spec) => thrashing({ ...(spec.settings as ThrashingOptions), severity: spec.severity }),
  stalledDiff: (spec) => stalledDiff({ ...(spec.settings as StalledDiffOptions), severity: spec.severity }),
  oscillation: (spec) => oscillation({ ...(spec.settings as OscillationOptions), severity: spec.severity }),
  repeatedAction: (spec) => repeatedAction({ ...(spec.settings as RepeatedActionOptions), severity: spec.severity }),
  noProgress: (spec) => noProgress({ ...(spec.settings as NoProgressOptions), severity: spec.severity }),
  spinningText: (spec) => spinningText({ ...(spec.settings as SpinningTextOptions), severity: spec.severity }),
  emptyIterations: (spec) => emptyIterations({ ...(spec.settings as EmptyIterationsOptions), severity: spec.severity }),
  deadline: (spec) => deadline({ ...(spec.settings as unknown as DeadlineOptions), severity: spec.severity }),
  worthContinuing: (spec) => worthContinuing({ ...(spec.settings as WorthContinuingOptions), severity: spec.severity }),
  anyOf: (_spec, parts) => anyOf(...parts),
  allOf: (_spec, parts) => allOf(...parts),
  not: (_spec, parts) => not(parts[0] as Guard),
  ladder: (spec, parts) => ladder(parts[0] as Guard, spec.settings as LadderOptions),
}

function customOne(spec: GuardSpec, custom: readonly Guard[]): Guard {
  const name = spec.settings['name']
  const found = custom.flatMap(withParts).find((guard) => guard.spec.name === CUSTOM && guard.spec.settings['name'] === name)
  if (!found)
    throw new PawlError(
      'guard.custom-missing',
      `The guard "${String(name)}" is a function of the program that started this run; resume it with that program.`,
    )
  return found
}

function withParts(guard: Guard): readonly Guard[] {
  return [guard, ...(guard.parts ?? []).flatMap(withParts)]
}
