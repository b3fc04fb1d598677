import type { ReplayableLoop } from './backtest/replayable-loop.ts'
import { ODDS_KINDS, type OddsKind } from '../guards/odds/odds-kind.ts'
import { type OwnLesson, ownLesson } from './own-lesson.ts'

/** By kind: how far one's own loops move the odds (a shift of the logit), and how many loops that rests on. */
export type OwnOdds = Readonly<Partial<Record<OddsKind, OwnShift>>>

export interface OwnShift {
  readonly loops: number
  readonly shift: number
}

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
