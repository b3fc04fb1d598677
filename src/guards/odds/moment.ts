import type { Action } from '../../core/action.ts'
import { freshIterations } from '../../core/measures/fresh-iterations.ts'
import { attemptNumber } from '../../core/plan.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import type { IterationSummary, State } from '../../core/state.ts'
import { errorShape } from './error-shape.ts'
import { type OddsKind, oddsKindOf } from './odds-kind.ts'
import { sequenceTraits } from './sequence-traits.ts'

/** A moment of a run, as the odds see it: how it stands after an iteration that did not pass. */
export interface Moment {
  readonly kind: OddsKind
  /** Of the present goal, counted from 1. */
  readonly iteration: number
  readonly iterationsLeft: number
  /** What is measured, in the order of `TRAITS`. */
  readonly traits: readonly number[]
}

/**
 * The moment at which a run stands. Nothing where the odds have nothing to say: before the first iteration has ended, after a pass, where
 * nobody said how many iterations there may be, after the last of them, for a kind of loop that was never recorded, or where what
 * was done before a person stepped in is no longer known.
 */
export function momentOf(state: State): Moment | undefined {
  const kind = oddsKindOf(state.config)
  const maximum = maximumIn(state.config.guards)
  const last = state.recent.at(-1)
  if (!kind || maximum === undefined || !last || !state.current.ended || last.verdict.passed) return undefined
  if (isWorkForgotten(kind, state)) return undefined
  const iteration = attemptNumber(state.plan, state.current.number)
  const iterationsLeft = maximum - iteration
  if (iterationsLeft < 1) return undefined
  const place = { kind, iteration, iterationsLeft }
  return { ...place, traits: traitsOf(state, last, place) }
}

/** When a person steps in the actions before it are no longer kept; the iterations are. So nothing is said where actions are the work. */
function isWorkForgotten(kind: OddsKind, state: State): boolean {
  return hasPersonSteppedIn(state) && (kind === 'turns' || state.measures.actions.last.length === freshIterations(state).length)
}

function hasPersonSteppedIn(state: State): boolean {
  return freshIterations(state).length < state.recent.length
}

/** The least maximum that holds, whatever it is combined with. */
function maximumIn(guards: readonly GuardSpec[]): number | undefined {
  const found = guards.flatMap((spec) => {
    const own = spec.name === 'maxIterations' ? spec.settings['iterationsMax'] : maximumIn(spec.parts ?? [])
    return typeof own === 'number' ? [own] : []
  })
  return found.length === 0 ? undefined : Math.min(...found)
}

/** All iterations at the present goal count, also those before a person stepped in: what was tried in vain stays tried. */
function traitsOf(state: State, last: IterationSummary, place: Omit<Moment, 'traits'>): number[] {
  const { recent } = state
  const { last: actions } = state.measures.actions
  const errors = sequenceTraits(recent.map(({ fingerprint }) => (fingerprint === '' ? undefined : fingerprint)))
  const shapes = sequenceTraits(recent.map(({ failures: [failure] }) => failure && errorShape(failure.message)))
  const isOneEach = actions.length === recent.length && !hasPersonSteppedIn(state)
  const work = sequenceTraits(isOneEach ? actions.map(callOf) : recent.map(({ tree }) => tree))
  // What comes back to one call of many in an attempt says little of the attempt.
  const results = sequenceTraits(isOneEach || place.kind === 'turns' ? actions.map(({ result }) => result) : [])
  const likenesses = recent.map((iteration, index) => likenessTo(recent[index - 1], iteration))
  return [
    place.iteration,
    place.iterationsLeft,
    Number(errors.hasLast),
    errors.streak,
    errors.count,
    errors.known,
    errors.different,
    errors.differentShare,
    errors.unknownStreak,
    errors.sinceNew,
    shapes.streak,
    shapes.count,
    shapes.different,
    shapes.sinceNew,
    work.streak,
    work.count,
    work.differentShare,
    work.sinceNew,
    work.known - work.different,
    results.streak,
    results.count,
    results.differentShare,
    results.sinceNew,
    ...scoreTraits(recent.map(({ verdict }) => verdict.score)),
    last.verdict.failing,
    likenesses.at(-1) ?? 0,
    streakAtLeast(likenesses, LIKENESS_MIN),
  ]
}

/** Where every iteration is one action, the actions are the work; where it is many, or none is known, the files are. */
function callOf({ name, input }: Action): string {
  return `${name}
${input}`
}

/** In the order of `TRAITS`, from `score` to `sinceBest`. What fell says no more than where it fell to and the best there was. */
function scoreTraits(scores: readonly number[]): readonly number[] {
  const [first = 0] = scores
  const last = scores.at(-1) ?? 0
  const best = Math.max(...scores)
  const rise = scores.length < 2 ? 0 : Math.max(0, last - (scores.at(-2) ?? 0))
  return [last, best, first, Math.min(...scores), rise, scores.length - 1 - scores.indexOf(best)]
}

/** How like its change is to the one before. Nothing is as like what was there as nothing new. */
function likenessTo(before: IterationSummary | undefined, { tree, likeness }: IterationSummary): number {
  return before?.tree === tree ? 1 : (likeness?.lines ?? 0)
}

function streakAtLeast(values: readonly number[], min: number): number {
  let streak = 0
  for (let index = values.length - 1; index >= 0 && (values[index] as number) >= min; index--) streak++
  return streak
}

const LIKENESS_MIN = 0.97
