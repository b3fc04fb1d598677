import { isCircle } from './is-circle.ts'
import type { Moment } from './moment.ts'
import { placeOf } from './traits.ts'

/**
 * Which recorded moments are similar to one: those at the same place that go round in circles, repeat themselves or do neither as it does,
 * and that have a score or have none. Moments in the same cell are similar.
 */
export function similarCell(moment: Moment): number {
  return cellAt(moment.iteration, moment.iterationsLeft, sortOf(moment))
}

/** The cell of one sort of moments at one place. */
export function cellAt(iteration: number, iterationsLeft: number, sort: number): number {
  return (iteration * PLACES + iterationsLeft) * SORTS + sort
}

/** Which of the six sorts a moment is of. */
export function sortOf(moment: Moment): number {
  return 2 * repetition(moment) + Number((moment.traits[SCORE] as number) > 0)
}

function repetition(moment: Moment): 0 | 1 | 2 {
  if (isCircle(moment)) return 2
  return Math.max(moment.traits[ERROR_STREAK] as number, moment.traits[WORK_STREAK] as number) > 1 ? 1 : 0
}

/** More than any recorded loop has iterations. */
const PLACES = 100
const SORTS = 6

const ERROR_STREAK = placeOf('errorStreak')
const WORK_STREAK = placeOf('workStreak')
const SCORE = placeOf('score')
