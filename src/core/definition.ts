import type { Guard } from './guard.ts'
import type { Loop } from './loop.ts'
import type { GuardSpec, PartSpec } from './run-config.ts'

/** How the parts named in a run's configuration are built: data in, behaviour out. */
export interface Definition {
  loop(spec: PartSpec): Loop
  guard(spec: GuardSpec): Guard
}

/** Builds each part once for as long as its data is the same object, as it is from event to event. */
export function memoizedDefinition(definition: Definition): Definition {
  return { loop: memoized(definition.loop), guard: memoized(definition.guard) }
}

function memoized<Spec extends PartSpec, Part>(make: (spec: Spec) => Part): (spec: Spec) => Part {
  const made = new WeakMap<Spec, Part>()
  return (spec) => {
    const known = made.get(spec)
    if (known) return known
    const part = make(spec)
    made.set(spec, part)
    return part
  }
}
