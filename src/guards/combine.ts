import type { Guard } from '../core/guard.ts'
import { remainingMs, remainingUsd } from '../core/judge.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { GuardSpec, Severity } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { guardsIn, raisesOf, type Trip, tripTopic } from '../core/trip.ts'
import { GUARD } from '../schema/part-kinds.ts'
import { requireKind } from '../schema/read-options.ts'
import { SEVERITY } from './guard-settings.ts'

/** Holds when at least one of the guards holds. Its message and evidence are theirs. */
export function anyOf(...guards: readonly Guard[]): Guard {
  const guard = combined('anyOf', guards, (held) => held.some((trips) => trips.length > 0))
  return {
    ...guard,
    watch: (state, work) => guards.flatMap((each) => each.watch?.(state, work) ?? []),
    remainingMs: (state) => remainingMs(guards, state),
    remainingUsd: (state) => remainingUsd(guards, state),
  }
}

/** Holds only when all of the guards hold at once: a way to make sensitive guards safe. */
export function allOf(...guards: readonly Guard[]): Guard {
  return combined('allOf', guards, (held) => held.every((trips) => trips.length > 0))
}

/** Holds when the guard does not. Useful inside `allOf`. */
export function not(guard: Guard): Guard {
  requireKind('not', 'its guard', guard, GUARD)
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
          code: 'not.absent',
          message,
          evidence: { facts, measures: {} },
          hint: `It continues when ${guard.spec.name} holds.`,
          parts: [guard.spec.name],
        },
      ]
    },
  }
}

/** Lets a guard decide, or only warn. */
export function withSeverity(guard: Guard, severity: Severity): Guard {
  requireKind('withSeverity', 'its guard', guard, GUARD)
  requireKind('withSeverity', 'its severity', severity, SEVERITY)
  const spec: GuardSpec = { ...guard.spec, severity }
  const { remainingMs: _limit, remainingUsd: _money, ...rest } = guard
  return {
    ...(severity === 'warn' ? rest : guard),
    spec,
    inspect: (state) => holding(guard, state).map((trip) => ({ ...trip, severity })),
    ...watchOf(guard, (trip) => ({ ...trip, severity })),
  }
}

/** What a guard says of an agent at work, changed by `change`; nothing if it needs the end of the work. */
export function watchOf(guard: Guard, change: (trip: Trip, state: State) => Trip): Pick<Guard, 'watch'> {
  if (!guard.watch) return {}
  return { watch: (state, work) => (guard.watch?.(state, work) ?? []).map((trip) => change(trip, state)) }
}

function combined(
  kind: 'anyOf' | 'allOf',
  guards: readonly Guard[],
  isHeld: (held: readonly (readonly Trip[])[]) => boolean,
): Guard {
  if (guards.length === 0) throw new PawlError(`guard.${kind}.empty`, `${kind}() needs at least one guard.`)
  for (const [index, guard] of guards.entries()) requireKind(kind, `guard ${index + 1}`, guard, GUARD)
  const parts = guards.map((guard) => guard.spec)
  return {
    spec: { name: kind, v: 1, severity: 'trip', settings: {}, parts },
    parts: guards,
    inspect: (state) => {
      const held = guards.map((guard) => holding(guard, state))
      return isHeld(held) ? [merged(kind, parts, held.flat())] : []
    },
  }
}

/** What a guard says at its own severity: the early warning of a budget is not the budget. */
export function holding(guard: Guard, state: State): readonly Trip[] {
  return guard.inspect(state).filter((trip) => trip.severity === guard.spec.severity)
}

function merged(kind: 'anyOf' | 'allOf', specs: readonly GuardSpec[], trips: readonly Trip[]): Trip {
  const parts = specs.map(({ name }) => name)
  const hints = trips.map((trip) => trip.hint)
  return {
    guard: `${kind}(${parts.join(', ')})`,
    severity: 'trip',
    code: `${kind}.holds`,
    message: trips.map((trip) => trip.message).join(' And: '),
    evidence: {
      facts: [...new Set(trips.flatMap((trip) => trip.evidence.facts))].toSorted((a, b) => a - b),
      measures: Object.fromEntries(trips.map((trip) => [nameIn(trips, trip), trip.evidence.measures])),
    },
    hint:
      hints.length > 1 ? `To continue, ${kind === 'allOf' ? 'any one' : 'all'} of these: ${hints.join(' ')}` : (hints[0] ?? ''),
    ...(kind === 'anyOf' ? { ...raisingAll(trips), of: trips.flatMap(guardsIn) } : raisingOne(trips)),
    ...(trips.some((trip) => trip.disputesPass) ? { disputesPass: true as const } : {}),
    parts,
  }
}

/** A guard that watches several things may trip for more than one of them. */
function nameIn(trips: readonly Trip[], trip: Trip): string {
  return trips.some((other) => other !== trip && other.guard === trip.guard) ? tripTopic(trip) : trip.guard
}

/** Where each of them alone holds the run up, all have to be raised. */
function raisingAll(trips: readonly Trip[]): Pick<Trip, 'raise' | 'raises'> {
  const raises = trips.flatMap(raisesOf)
  const [only] = raises
  if (!only) return {}
  return raises.length === 1 ? { raise: only } : { raises }
}

/** Where only all together do, one is enough. */
function raisingOne(trips: readonly Trip[]): Pick<Trip, 'raise' | 'raises'> {
  const able = trips.find((trip) => raisesOf(trip).length > 0)
  return able ? raisingAll([able]) : {}
}

/**
 * `anyOf` as a run recorded it.
 *
 * @part anyOf
 */
export function anyOfFrom(_settings: unknown, parts: readonly Guard[]): Guard {
  return anyOf(...parts)
}

/**
 * `allOf` as a run recorded it.
 *
 * @part allOf
 */
export function allOfFrom(_settings: unknown, parts: readonly Guard[]): Guard {
  return allOf(...parts)
}

/**
 * `not` as a run recorded it.
 *
 * @part not
 */
export function notFrom(_settings: unknown, [guard]: readonly Guard[]): Guard {
  return not(guard as Guard)
}
