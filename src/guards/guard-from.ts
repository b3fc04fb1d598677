import type { Guard } from '../core/guard.ts'
import { PawlError } from '../core/pawl-error.ts'
import { recordedSettings } from '../core/recorded-settings.ts'
import type { GuardSpec } from '../core/run-config.ts'
import { strictGuard } from './safety/strict-guard.ts'
import { budget } from './budget.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { allOf, anyOf, not, withSeverity } from './combine.ts'
import { CUSTOM } from './custom.ts'
import { deadline } from './deadline.ts'
import { emptyIterations } from './empty-iterations.ts'
import { ladder } from './ladder.ts'
import { maxIterations } from './max-iterations.ts'
import { noProgress } from './no-progress.ts'
import { oscillation } from './oscillation.ts'
import { qualityRegression } from './quality-regression.ts'
import { repeatedAction } from './repeated-action.ts'
import { sameFailure } from './same-failure.ts'
import { spinningText } from './spinning-text.ts'
import { stalledDiff } from './stalled-diff.ts'
import { tampering } from './tampering.ts'
import { thrashing } from './thrashing.ts'
import { worthContinuing } from './worth-continuing.ts'

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
  budget: (spec) => budget(recordedSettings(spec.settings)),
  circuitBreaker: (spec) => circuitBreaker(recorded(spec)),
  sameFailure: (spec) => sameFailure(recorded(spec)),
  tampering: (spec) => tampering(recorded(spec)),
  qualityRegression: (spec) => qualityRegression(recorded(spec)),
  thrashing: (spec) => thrashing(recorded(spec)),
  stalledDiff: (spec) => stalledDiff(recorded(spec)),
  oscillation: (spec) => oscillation(recorded(spec)),
  repeatedAction: (spec) => repeatedAction(recorded(spec)),
  noProgress: (spec) => noProgress(recorded(spec)),
  spinningText: (spec) => spinningText(recorded(spec)),
  emptyIterations: (spec) => emptyIterations(recorded(spec)),
  deadline: (spec) => deadline(recorded(spec)),
  worthContinuing: (spec) => worthContinuing(recorded(spec)),
  anyOf: (_spec, parts) => anyOf(...parts),
  allOf: (_spec, parts) => allOf(...parts),
  not: (_spec, parts) => not(parts[0] as Guard),
  ladder: (spec, parts) => ladder(parts[0] as Guard, recordedSettings(spec.settings)),
}

function recorded<Options>({ settings, severity }: GuardSpec): Options {
  return recordedSettings({ ...settings, severity })
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
