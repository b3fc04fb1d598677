import type { Guard } from './guard.ts'
import { isDone, type State } from './state.ts'
import { type Trip, tripTopic } from './trip.ts'
import { concluded, LOOP } from './conclude.ts'
import type { Decision } from './decision.ts'
import type { Definition } from './definition.ts'
import type { Effect } from './effect.ts'
import type { Fact, Seq } from './event.ts'
import type { Loop } from './loop.ts'
import { phrased, phraseEffect } from './phrase.ts'
import type { Step } from './step.ts'

/** Asks every guard. Returns what is true, in the order of the guards, and never what to do about it. */
export function judge(guards: readonly Guard[], state: State): readonly Trip[] {
  const trips: Trip[] = []
  for (const guard of guards) trips.push(...guard.inspect(state))
  return trips
}

/** The shortest time at work that any guard leaves. */
export function remainingMs(guards: readonly Guard[], state: State): number | undefined {
  const limits = guards.map((guard) => guard.remainingMs?.(state)).filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits))
}

/** Guards say what is true, the loop says what to do, and both are recorded with the facts they rest on. */
export function judgeIteration(definition: Definition, state: State): Step {
  const guards = state.config.guards.map(definition.guard)
  const trips = state.current.problem ? [] : judge(guards, state)
  const tripped = trips.filter((trip) => trip.severity === 'trip')
  const deciding = tripped.filter((trip) => !state.waivers.includes(trip.guard))
  const loop = definition.loop(state.config.loop)
  const decision = loop.decide(state, deciding)
  const seals = decision.action === 'proceed' ? openSeals(loop, state) : []
  if (seals.length > 0) return { kind: 'perform', effects: seals }
  const phrase = phraseEffect(state, decision)
  if (phrase) return { kind: 'perform', effects: [phrase] }
  const warning = (name: string) => guards.findLast((guard) => guard.spec.name === name)?.warning ?? 'guard.nudged'
  const facts: Fact[] = [
    ...tripped.map((trip) => concluded(state, { role: 'guard', name: trip.guard }, 'guard.tripped', trip)),
    ...trips
      .filter((trip) => trip.severity === 'warn' && !state.nudged.some(({ topic }) => topic === tripTopic(trip)))
      .map((trip) => concluded(state, { role: 'guard', name: trip.guard }, warning(trip.guard), trip)),
    ...(loop.settles?.(state) ?? []),
    ...decisionFacts(state, phrased(decision, state.current.phrased), trips.map(tripTopic), deciding, { loop }),
  ]
  return { kind: 'record', facts }
}

/** What a success still needs. */
export function openSeals(loop: Loop, state: State): readonly Effect[] {
  return (loop.seals?.(state) ?? []).filter((effect) => !isDone(state, effect.key))
}

/** What follows from a success, as the loop says. */
export function finishFacts(loop: Loop | undefined, state: State, message: string, because?: Seq): readonly Fact[] {
  if (loop?.finishes) return loop.finishes(state, message, because)
  const data = { iteration: state.current.number, tree: state.tree?.tree ?? '', message }
  return [concluded(state, LOOP, 'run.completed', data, because)]
}

/** The decision and what it leads to. `loop` says what follows from a success. */
export function decisionFacts(
  state: State,
  decision: Decision,
  topics: readonly string[],
  trips: readonly Trip[],
  { loop, review }: { readonly loop?: Loop; readonly review?: { readonly key: string; readonly name: string } } = {},
): readonly Fact[] {
  const { action, message, basis, says, guards } = decision
  const data = { ...(says ? { says } : {}), ...(guards ? { guards } : {}) }
  const iteration = state.current.number
  const made = concluded(state, LOOP, 'decision.made', { iteration, action, message, basis, trips: topics, ...data })
  switch (decision.action) {
    case 'proceed':
      return [made, ...finishFacts(loop, state, message)]
    case 'retry':
      return [made]
    case 'stop':
      return [made, concluded(state, LOOP, 'run.stopped', { iteration, message, trips, question: decision.question })]
    default: {
      const raised = { iteration, message, trips, question: decision.question, ...(review ? { review } : {}) }
      return [made, concluded(state, LOOP, 'escalation.raised', raised)]
    }
  }
}
