import type { Guard } from '../guard.ts'
import { PawlError } from '../pawl-error.ts'
import type { GuardSpec } from '../run-config.ts'
import { budget, type BudgetOptions } from './budget.ts'
import { circuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts'
import { allOf, anyOf, not, withSeverity } from './combine.ts'
import { CUSTOM } from './custom.ts'
import { maxIterations } from './max-iterations.ts'
import { sameFailure, type SameFailureOptions } from './same-failure.ts'

/** Builds a guard from its data. `custom` are the guards of the program that is running. */
export function guardFrom(spec: GuardSpec, custom: readonly Guard[] = []): Guard {
  const parts = (spec.parts ?? []).map((part) => guardFrom(part, custom))
  const guard = spec.name === CUSTOM ? customOne(spec, custom) : builtIn(spec, parts)
  return guard.spec.severity === spec.severity ? guard : withSeverity(guard, spec.severity)
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
  anyOf: (_spec, parts) => anyOf(...parts),
  allOf: (_spec, parts) => allOf(...parts),
  not: (_spec, parts) => not(parts[0] as Guard),
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
