import { type Moment, type Trait, TRAITS } from './moment.ts'

/**
 * Which recorded moments are similar to one: those at about the same iteration with about as many left, that repeat themselves or do not,
 * and that have a score or have none. Moments in the same cell are similar.
 */
export function similarCell({ iteration, iterationsLeft, traits }: Moment): number {
  const repeats = Math.max(traits[ERROR_STREAK] as number, traits[WORK_STREAK] as number)
  return [
    place(ITERATIONS, iteration),
    place(LEFT, iterationsLeft),
    place(REPEATS, repeats),
    place(SCORES, traits[SCORE] as number),
  ].reduce((cell, digit) => cell * DIGITS + digit, 0)
}

const ITERATIONS = [1, 2]
const LEFT = [1, 4]
const REPEATS = [1]
const SCORES = [0]
const DIGITS = 10

const ERROR_STREAK = placeOf('errorStreak')
const WORK_STREAK = placeOf('workStreak')
const SCORE = placeOf('score')

function placeOf(trait: Trait): number {
  return TRAITS.indexOf(trait)
}

/** The first place whose bound is not below the value. */
function place(bounds: readonly number[], value: number): number {
  const found = bounds.findIndex((bound) => value <= bound)
  return found === -1 ? bounds.length : found
}
