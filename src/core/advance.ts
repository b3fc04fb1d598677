import { type Definition, type Folds, foldsOf } from './definition.ts'
import { type Event, EVENT_VERSION, type Fact, type RunId, type Seq } from './event.ts'
import { evolve, evolveWith } from './evolve.ts'
import { next, type NextOptions } from './next.ts'
import { PawlError } from './pawl-error.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'

export interface Advance {
  /** The facts and everything concluded from them, to be appended together. */
  readonly append: readonly Event[]
  /** The state once they are appended. */
  readonly state: State
  /** What the outside has to do now: never `record`. */
  readonly step: Exclude<Step, { kind: 'record' }>
}

/**
 * Takes facts in and says what follows: the heart of every surface. The runner, a hook and an MCP tool all call this and nothing
 * else. `state` is `undefined` for a new run, whose first fact is `run.started`. With `hold` the iteration is not ended yet, so that the
 * next call can still add to it.
 */
export function advance(
  definition: Definition,
  run: RunId,
  state: State | undefined,
  facts: readonly Fact[],
  options?: NextOptions,
): Advance {
  const append: Event[] = []
  const folds = foldsOf(definition)
  let current = state
  const take = (fact: Fact): void => {
    const event = eventOf(run, (current?.seq ?? 0) + 1, fact)
    append.push(event)
    current = evolveWith(folds, current, event)
  }
  facts.forEach(take)
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    if (current === undefined) throw new PawlError('run.unknown', `There is no run ${run}.`)
    const step = next(definition, current, options)
    if (step.kind !== 'record') return { append, state: current, step }
    step.facts.forEach(take)
  }
  throw new PawlError('core.endless', `Run ${run} kept concluding without asking for anything; this is a defect of its loop.`)
}

/** Facts as the events they become, and the state after them, with nothing concluded from them yet. */
export function record<Known extends State | undefined>(
  folds: Folds,
  run: RunId,
  state: Known,
  facts: readonly Fact[],
): { readonly append: readonly Event[]; readonly state: Known | State } {
  const append = facts.map((fact, index) => eventOf(run, (state?.seq ?? 0) + 1 + index, fact))
  return { append, state: append.reduce<Known | State>((known, event) => evolveWith(folds, known, event), state) }
}

/** The core's part of the state once these facts are appended, with nothing concluded from them yet. The loop's slices stay as they are. */
export function withFacts(state: State, facts: readonly Fact[]): State {
  return facts.reduce((known, fact) => evolve(known, eventOf(known.run, known.seq + 1, fact)), state)
}

/** Adds the start of an effect that the step asks for; what has to be done stays the same. */
export function withStart(definition: Definition, { append, state, step }: Advance, start: Fact<'work.started'>): Advance {
  const event = eventOf(state.run, state.seq + 1, start)
  return { append: [...append, event], state: evolveWith(foldsOf(definition), state, event), step }
}

function eventOf(run: RunId, seq: Seq, fact: Fact): Event {
  return { ...fact, seq, run, v: EVENT_VERSION } as Event
}

/** Far more conclusions than any loop draws from one fact: reaching it means a loop goes round in circles. */
const ROUNDS_MAX = 100
