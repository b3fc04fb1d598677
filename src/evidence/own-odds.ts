import type { OwnOdds } from '../guards/odds/own-odds.ts'
import type { ReplayableLoop } from './backtest/recorded-loop.ts'
import { ODDS_KINDS, type OddsKind } from '../guards/odds/odds-data.ts'
import { statesOf } from './backtest/replay.ts'
import type { State } from '../core/state.ts'
import { type KnownOdds, oddsOf } from '../guards/odds/odds.ts'

/**
 * Learns from one's own loops: how much better or worse they went than the shipped odds said. Bayesian: the shift is taken to be none
 * with the weight of `PRIOR_LOOPS` uncertain loops, so a few loops move it little and many as far as they say. A loop weighs as one,
 * however many moments it had, and the order of the loops does not matter.
 */
export function ownOdds(loops: Iterable<ReplayableLoop>): OwnOdds {
  const lessons: OwnLesson[] = []
  for (const loop of loops) {
    const lesson = ownLesson(loop)
    if (lesson) lessons.push(lesson)
  }
  return oddsFromLessons(lessons)
}

/** The same from what each loop taught, which is all that has to be kept of it. */
export function oddsFromLessons(lessons: readonly OwnLesson[]): OwnOdds {
  const found = ODDS_KINDS.map((kind) => [kind, lessons.filter((lesson) => lesson.kind === kind)] as const)
  return Object.fromEntries(
    found
      .filter(([, ofKind]) => ofKind.length > 0)
      .map(([kind, ofKind]) => [kind, { loops: ofKind.length, shift: shiftOf(ofKind.flatMap(samplesOf)) }]),
  )
}

function samplesOf({ moments }: OwnLesson): readonly Sample[] {
  return moments.map(({ chance, cameTrue }) => ({
    margin: Math.log(chance / (1 - chance)),
    yes: Number(cameTrue),
    weight: 1 / moments.length,
  }))
}

interface Sample {
  readonly margin: number
  readonly yes: number
  readonly weight: number
}

/** An uncertain loop says most at even odds: a quarter. */
const PRIOR_LOOPS = 40
const PRIOR_WEIGHT = PRIOR_LOOPS / 4
const STEPS = 30
const SHIFT_MAX = 3

/** The most probable shift, by Newton's steps. */
function shiftOf(samples: readonly Sample[]): number {
  let shift = 0
  for (let step = 0; step < STEPS; step++) {
    let slope = -PRIOR_WEIGHT * shift
    let curve = PRIOR_WEIGHT
    for (const { margin, yes, weight } of samples) {
      const chance = 1 / (1 + Math.exp(-margin - shift))
      slope += weight * (yes - chance)
      curve += weight * chance * (1 - chance)
    }
    shift = Math.min(SHIFT_MAX, Math.max(-SHIFT_MAX, shift + slope / curve))
  }
  return Number(shift.toFixed(4))
}

/** What one loop says about the shipped odds: at each moment whose end is known, what they said and whether it came true. */
export interface OwnLesson {
  readonly kind: OddsKind
  readonly moments: readonly { readonly chance: number; readonly cameTrue: boolean }[]
}

/**
 * What a loop taught. A moment's end is known when the loop succeeded, when it did all the iterations that were left at that moment, or
 * when a person gave it up; so a run that used up its maximum and waits for an answer taught something too. Nothing where no moment has
 * an end, and for several tasks in one run, whose success is that of the last.
 */
export function ownLesson(loop: ReplayableLoop): OwnLesson | undefined {
  const states = [...statesOf(loop)]
  if (states.some(({ slices }) => slices?.plan !== undefined)) return undefined
  const known = states.flatMap((state, index) => {
    const odds = oddsOf(state)
    const cameTrue = odds?.status === 'known' ? outcomeAfter(loop, states, index, odds) : undefined
    return odds?.status === 'known' && cameTrue !== undefined ? [{ kind: odds.kind, chance: odds.chance, cameTrue }] : []
  })
  const [first] = known
  return first && { kind: first.kind, moments: known.map(({ chance, cameTrue }) => ({ chance: shortened(chance), cameTrue })) }
}

/** Whether the loop succeeded in the iterations that were left after the one at `index`; nothing where nobody knows. */
function outcomeAfter(
  { outcome, solvedAt = 0 }: ReplayableLoop,
  states: readonly State[],
  index: number,
  { chanceWithin }: KnownOdds,
): boolean | undefined {
  const iteration = index + 1
  const lastAllowed = iteration + chanceWithin.length
  if (outcome === 'solved') return iteration < solvedAt ? solvedAt <= lastAllowed : undefined
  if (states.length === iteration) return undefined
  if (outcome === 'failed') return false
  const hasPassed = states.slice(iteration, lastAllowed).some(({ current }) => current.ended?.verdict.passed === true)
  return states.length >= lastAllowed && !hasPassed ? false : undefined
}

/** It is kept as text, and more digits say nothing more. */
function shortened(chance: number): number {
  return Number(chance.toPrecision(6))
}
