import { evolve } from '../../loops/evolve.ts'
import type { Event } from '../../core/event.ts'
import type { Guard } from '../../core/guard.ts'
import { judge } from '../../core/judge.ts'
import { forgiveFailures, initialMeasures } from '../../core/measures/measures.ts'
import type { State } from '../../core/state.ts'
import { type Trip, tripTopic } from '../../core/trip.ts'
import type { Policy } from './policy.ts'
import type { ReplayableLoop } from './recorded-loop.ts'

/** Where a policy would have ended a loop. */
export interface PolicyStop {
  readonly iteration: number
  /** The guards that tripped. */
  readonly guards: readonly string[]
}

/** The state after each iteration, at the moment at which guards are asked. */
export function* statesOf({ iterations, unknown }: ReplayableLoop): Generator<State> {
  let state: State | undefined
  for (const [place, events] of iterations.entries()) {
    const before: State | undefined = state
    state = events.reduce<State | undefined>(evolve, before)
    if (state && unknown?.has(place)) state = withoutStanding(before, state)
    if (state) yield state
  }
}

/**
 * If nothing was recorded of an iteration, it is no failure, and a row of failures begins again after it. In a run
 * of our own an iteration without a result did not pass, so the fold counts it; here what it counted is taken back.
 */
function withoutStanding(before: State | undefined, state: State): State {
  const { betterScore, trend, churn } = before?.measures ?? initialMeasures
  return { ...state, measures: { ...state.measures, betterScore: forgiveFailures(betterScore), trend, churn } }
}

/**
 * Where each policy would have ended the loop, in the order of the policies; `undefined` for one that lets it run to its end. The loop is
 * folded once, by the product's own `evolve`, and every policy asks its guards through the product's own `judge`. A pass outranks a trip,
 * as in a loop, unless the trip disputes it.
 */
export function replay(loop: ReplayableLoop, policies: readonly Policy[]): readonly (PolicyStop | undefined)[] {
  const watches = policies.map(watchOf)
  let open = watches.length
  let iteration = 0
  for (const state of statesOf(loop)) {
    iteration++
    for (const watch of watches) {
      if (watch.stop) continue
      const trips = tripsOf(watch, state).filter((trip) => trip.severity === 'trip')
      const isPassed = state.current.ended?.verdict.passed === true
      const deciding = isPassed ? trips.filter(({ disputesPass }) => disputesPass) : trips
      if (deciding.length === 0) continue
      watch.stop = { iteration, guards: [...new Set(deciding.map(({ guard }) => guard))] }
      open--
    }
    if (open === 0) break
  }
  return watches.map(({ stop }) => stop)
}

interface Watch {
  readonly guards: readonly Guard[]
  /** Warnings that the policy would have given; kept only where a guard asks about them. */
  nudged: State['nudged'] | undefined
  stop: PolicyStop | undefined
}

function watchOf({ guards }: Policy): Watch {
  return { guards, nudged: guards.some(remembersWarnings) ? [] : undefined, stop: undefined }
}

function remembersWarnings({ spec, parts = [] }: Guard): boolean {
  return spec.name === 'ladder' || parts.some(remembersWarnings)
}

/** The warnings are the policy's own, so they are recorded beside the shared state, by the same fold. */
function tripsOf(watch: Watch, state: State): readonly Trip[] {
  if (watch.nudged === undefined) return judge(watch.guards, state)
  const seen: State = { ...state, nudged: watch.nudged }
  const trips = judge(watch.guards, seen)
  const told = new Set(watch.nudged.map(({ topic }) => topic))
  const fresh = trips.filter((trip) => trip.severity === 'warn' && !told.has(tripTopic(trip)))
  watch.nudged = [...fresh.map((trip) => eventOf(state, 'guard.nudged', trip)), decisionOf(state, trips)].reduce<State>(
    evolve,
    seen,
  ).nudged
  return trips
}

function decisionOf(state: State, trips: readonly Trip[]): Event {
  const { number: iteration } = state.current
  return eventOf(state, 'decision.made', { iteration, action: 'retry', message: '', basis: [], trips: trips.map(tripTopic) })
}

function eventOf<Type extends 'guard.nudged' | 'decision.made'>(state: State, type: Type, data: Event<Type>['data']): Event {
  return { seq: state.seq, run: state.run, v: 1, at: state.at, type, by: { role: 'loop' }, data } as unknown as Event
}
