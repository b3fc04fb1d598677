import { claimFacts } from './claim.ts'
import { concluded, LOOP } from './conclude.ts'
import type { Decision } from './decision.ts'
import type { Definition } from './definition.ts'
import type { Fact } from './event.ts'
import { judge } from './judge.ts'
import { phraseEffect, phrased } from './phrase.ts'
import { doneFacts } from './plan-step.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'
import { type Trip, tripTopic } from './trip.ts'

/** Guards say what is true, the loop says what to do, and both are recorded with the facts they rest on. */
export function judged(definition: Definition, state: State): Step {
  const guards = state.config.guards.map(definition.guard)
  const trips = state.current.problem ? [] : judge(guards, state)
  const tripped = trips.filter((trip) => trip.severity === 'trip')
  const deciding = tripped.filter((trip) => !state.waivers.includes(trip.guard))
  const decision = definition.loop(state.config.loop).decide(state, deciding)
  const phrase = phraseEffect(state, decision)
  if (phrase) return { kind: 'perform', effects: [phrase] }
  const warning = new Map(guards.map((guard) => [guard.spec.name, guard.warning ?? ('guard.nudged' as const)]))
  const facts: Fact[] = [
    ...tripped.map((trip) => concluded(state, { role: 'guard', name: trip.guard }, 'guard.tripped', trip)),
    ...trips
      .filter((trip) => trip.severity === 'warn' && !state.nudged.some(({ topic }) => topic === tripTopic(trip)))
      .map((trip) => concluded(state, { role: 'guard', name: trip.guard }, warning.get(trip.guard) ?? 'guard.nudged', trip)),
    ...claimFacts(state),
    ...decisionFacts(state, phrased(decision, state.current.phrased), trips.map(tripTopic), deciding),
  ]
  return { kind: 'record', facts }
}

/** The decision and what it leads to. */
export function decisionFacts(
  state: State,
  decision: Decision,
  topics: readonly string[],
  trips: readonly Trip[],
  review?: { readonly key: string; readonly name: string },
): readonly Fact[] {
  const { action, message, basis } = decision
  const iteration = state.current.number
  const made = concluded(state, LOOP, 'decision.made', { iteration, action, message, basis, trips: topics })
  switch (decision.action) {
    case 'proceed':
      return [made, ...doneFacts(state, message)]
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
