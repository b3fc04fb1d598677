import type { Guard } from '../core/guard.ts'
import { PawlError } from '../core/pawl-error.ts'
import { type GuardSpec, recordedSettings } from '../core/run-config.ts'
import { strictGuard } from './safety-checks.ts'
import { GUARDS } from './_guards.ts'
import { withSeverity } from './combine.ts'
import { CUSTOM } from './custom.ts'

/** Builds a guard from its data. `custom` are the guards of the program that is running. */
export function guardFrom(spec: GuardSpec, custom: readonly Guard[] = []): Guard {
  const parts = (spec.parts ?? []).map((part) => guardFrom(part, custom))
  const guard = spec.name === CUSTOM ? customOne(spec, custom) : builtIn(spec, parts)
  const severe = guard.spec.severity === spec.severity ? guard : withSeverity(guard, spec.severity)
  return spec.settings['isStrict'] === true ? strictGuard(severe) : severe
}

function builtIn({ name, settings, severity }: GuardSpec, parts: readonly Guard[]): Guard {
  const make = Object.hasOwn(GUARDS, name) ? (GUARDS[name as keyof typeof GUARDS] as GuardFactory) : undefined
  if (!make) {
    const known = Object.keys(GUARDS).join(', ')
    throw new PawlError('guard.unknown', `There is no guard "${name}" in this version of Pawl; it has ${known}.`, { value: name })
  }
  return make(recordedSettings({ ...settings, severity }), parts)
}

/** What every `@part` of this room can be called as. */
type GuardFactory = (settings: never, parts: readonly Guard[]) => Guard

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
