import type { Action } from '../../core/action.ts'
import { freshIterations } from '../../core/measures/last-iterations.ts'
import { attemptNumber } from '../../core/unit.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import type { IterationSummary, State } from '../../core/state.ts'
import { type OddsKind, oddsKindOf } from './odds-data.ts'

/** A moment of a run, as the odds see it: how it is after an iteration that did not pass. */
export interface Moment {
  readonly kind: OddsKind
  /** Of the present goal, counted from 1. */
  readonly iteration: number
  readonly iterationsLeft: number
  /** What is measured, in the order of `TRAITS`. */
  readonly traits: readonly number[]
}

/**
 * A run's present moment. Nothing if the odds have nothing to say: before the first iteration has ended, after a pass, where
 * nobody said how many iterations there may be, after the last of them, for a kind of loop that was never recorded, or where what
 * was done before a person stepped in is no longer known.
 */
export function momentOf(state: State): Moment | undefined {
  const kind = oddsKindOf(state.config)
  const maximum = maximumIn(state.config.guards)
  const last = state.recent.at(-1)
  if (!kind || maximum === undefined || !last || !state.current.ended || last.verdict.passed) return undefined
  if (isWorkForgotten(kind, state)) return undefined
  const iteration = attemptNumber(state.unit, state.current.number)
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

/** If every iteration is one action, the actions are the work; if it is many, or none is known, the files are. */
function callOf({ name, input }: Action): string {
  return `${name}
${input}`
}

/** In the order of `TRAITS`, from `score` to `sinceBest`. A fall adds nothing to where it fell to and the best there was. */
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

/**
 * What kind of error a message tells of: its telling line without names, numbers and quoted parts. `Unknown column 'a'` and
 * `Unknown column 'b'` have the same shape. The last shapes are remembered: the same messages are asked about after every iteration.
 */
export function errorShape(message: string): string {
  const known = shapes.get(message)
  if (known !== undefined) return known
  const shape = shapeOf(message)
  if (message.length > REMEMBERED_LENGTH_MAX) return shape
  if (shapes.size >= REMEMBERED_MAX) shapes.clear()
  shapes.set(message, shape)
  return shape
}

const shapes = new Map<string, string>()
const REMEMBERED_MAX = 500
const REMEMBERED_LENGTH_MAX = 4000

function shapeOf(message: string): string {
  const lines = message.slice(0, REMEMBERED_LENGTH_MAX).trim().split('\n')
  const [first = ''] = lines
  // A stack trace says what went wrong in its last lines.
  const telling = lines.length > 1 && TRACE.test(first) ? (lines.at(-1) ?? first) : first
  return telling.replaceAll(QUOTED, 'Q').replaceAll(/\d+/g, '0').slice(0, SHAPE_LENGTH_MAX)
}

const TRACE = /Traceback|Error|Exception|^-{10}/
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/g
const SHAPE_LENGTH_MAX = 80

/** How a list of values repeats itself, seen from its end. */
export interface SequenceTraits {
  /** Whether the last value is known. */
  readonly hasLast: boolean
  /** How often the last value is at the end without another in between; 0 if unknown. */
  readonly streak: number
  /** How often the last value is in the list. */
  readonly count: number
  readonly known: number
  readonly different: number
  /** Of the known ones; 1 if none is known. */
  readonly differentShare: number
  /** How many values at the end are not known. */
  readonly unknownStreak: number
  /** How many values there are after the last that had not been seen before it. */
  readonly sinceNew: number
}

/** Measures repetition. A value that is not known equals no other. */
export function sequenceTraits<Value>(values: readonly (Value | undefined)[]): SequenceTraits {
  const last = values.at(-1)
  const seen = new Set<Value>()
  let known = 0
  let count = 0
  let newest = -1
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (value === undefined) {
      newest = index
      continue
    }
    known++
    if (value === last) count++
    if (!seen.has(value)) newest = index
    seen.add(value)
  }
  return {
    hasLast: last !== undefined,
    streak: last === undefined ? 0 : streakOf(values),
    count,
    known,
    different: seen.size,
    differentShare: known === 0 ? 1 : seen.size / known,
    unknownStreak: last === undefined ? streakOf(values) : 0,
    sinceNew: values.length - 1 - newest,
  }
}

function streakOf(values: readonly unknown[]): number {
  const last = values.at(-1)
  let streak = 0
  for (let index = values.length - 1; index >= 0 && values[index] === last; index--) streak++
  return streak
}

/**
 * What a moment is described by, in this order, and which way the chance may go with it, all else equal: 1 where more never lowers it, -1
 * where more never raises it. The fit keeps to it, whatever the recorded loops say: more of the same is never good news, a better score never
 * bad news, and time never helps by running out. Only whether there is an error at all may mean either.
 */
export const TRAITS = {
  iteration: -1,
  iterationsLeft: 1,
  hasError: 0,
  errorStreak: -1,
  errorCount: -1,
  errorsKnown: -1,
  errorsDifferent: 1,
  errorsDifferentShare: 1,
  withoutErrorStreak: -1,
  sinceNewError: -1,
  shapeStreak: -1,
  shapeCount: -1,
  shapesDifferent: 1,
  sinceNewShape: -1,
  workStreak: -1,
  workCount: -1,
  workDifferentShare: 1,
  sinceNewWork: -1,
  workRepeats: -1,
  resultStreak: -1,
  resultCount: -1,
  resultDifferentShare: 1,
  sinceNewResult: -1,
  score: 1,
  scoreBest: 1,
  scoreFirst: 1,
  scoreWorst: 1,
  scoreRise: 1,
  sinceBest: -1,
  failing: -1,
  likeness: -1,
  likenessStreak: -1,
} as const

export type Trait = keyof typeof TRAITS

/** The place of a trait: the shipped estimate refers to traits by their places. */
export function placeOf(trait: Trait): number {
  return NAMES.indexOf(trait)
}

const NAMES = Object.keys(TRAITS)
