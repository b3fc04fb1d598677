import type { Guard } from '../guard.ts'
import { PawlError } from '../pawl-error.ts'
import type { GuardSpec } from '../run-config.ts'
import type { State } from '../state.ts'
import type { Severity, Trip } from '../trip.ts'

/** Holds when at least one of the guards holds. Its message and evidence are theirs. */
export function anyOf(...guards: readonly Guard[]): Guard {
  return combined('anyOf', guards, (held) => held.some((trips) => trips.length > 0))
}

/** Holds only when all of the guards hold at once: a way to make sensitive guards safe. */
export function allOf(...guards: readonly Guard[]): Guard {
  return combined('allOf', guards, (held) => held.every((trips) => trips.length > 0))
}

/** Holds when the guard does not. Useful inside `allOf`. */
export function not(guard: Guard): Guard {
  const name = `not(${guard.spec.name})`
  return {
    spec: { name: 'not', v: 1, severity: 'trip', settings: {}, parts: [guard.spec] },
    parts: [guard],
    inspect: (state) => {
      if (holding(guard, state).length > 0) return []
      const message = `${guard.spec.name} does not hold.`
      const facts = [state.current.ended?.seq ?? state.seq]
      return [
        {
          guard: name,
          severity: 'trip',
          message,
          evidence: { facts, measures: {} },
          hint: `It goes on when ${guard.spec.name} holds.`,
        },
      ]
    },
  }
}

/** Lets a guard decide, or only warn. */
export function withSeverity(guard: Guard, severity: Severity): Guard {
  const spec: GuardSpec = { ...guard.spec, severity }
  const { remainingMs: _limit, ...rest } = guard
  return {
    ...(severity === 'warn' ? rest : guard),
    spec,
    inspect: (state) => holding(guard, state).map((trip) => ({ ...trip, severity })),
  }
}

function combined(
  kind: 'anyOf' | 'allOf',
  guards: readonly Guard[],
  isHeld: (held: readonly (readonly Trip[])[]) => boolean,
): Guard {
  if (guards.length === 0) throw new PawlError(`guard.${kind}.empty`, `${kind}() needs at least one guard.`)
  const name = `${kind}(${guards.map((guard) => guard.spec.name).join(', ')})`
  const parts = guards.map((guard) => guard.spec)
  return {
    spec: { name: kind, v: 1, severity: 'trip', settings: {}, parts },
    parts: guards,
    inspect: (state) => {
      const held = guards.map((guard) => holding(guard, state))
      return isHeld(held) ? [merged(name, held.flat(), kind === 'allOf' ? 'any one of these' : 'all of these')] : []
    },
  }
}

/** What a guard says at its own severity: the early warning of a budget is not the budget. */
function holding(guard: Guard, state: State): readonly Trip[] {
  return guard.inspect(state).filter((trip) => trip.severity === guard.spec.severity)
}

function merged(name: string, trips: readonly Trip[], which: string): Trip {
  const [first] = trips
  const hints = trips.map((trip) => trip.hint)
  return {
    guard: name,
    severity: 'trip',
    message: trips.map((trip) => trip.message).join(' And: '),
    evidence: {
      facts: [...new Set(trips.flatMap((trip) => trip.evidence.facts))].toSorted((a, b) => a - b),
      measures: Object.fromEntries(trips.map((trip) => [trip.guard, trip.evidence.measures])),
    },
    hint: hints.length > 1 ? `To go on, ${which}: ${hints.join(' ')}` : (hints[0] ?? ''),
    ...(first?.raise === undefined ? {} : { raise: first.raise }),
  }
}
