import type { Guard } from './guard.ts'
import type { Loop, LoopFold } from './loop.ts'
import type { GuardSpec, PartSpec } from './run-config.ts'

/** How the parts named in a run's configuration are built: data in, behaviour out. */
export interface Definition {
  loop(spec: PartSpec): Loop
  guard(spec: GuardSpec): Guard
}

/** How the fold of a run's loop is found. */
export type Folds = (loop: PartSpec) => LoopFold | undefined

/** The folds of the loops that a definition builds. */
export function foldsOf(definition: Definition): Folds {
  return (loop) => definition.loop(loop).fold
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
