import { isCircle } from './is-circle.ts'
import type { Moment } from './moment.ts'
import { placeOf } from './traits.ts'

/**
 * The cell in which recorded moments are counted that are of the same sort as one: about the same place, repeating themselves at least as
 * much (not at all, once, in a circle), and with a score or without, as it is.
 */
export function similarCell(moment: Moment): number {
  return cellAt(moment.iteration, moment.iterationsLeft, sortOf(moment))
}

/** The cell of one sort of moments at one place. */
export function cellAt(iteration: number, iterationsLeft: number, sort: number): number {
  return (iteration * PLACES + iterationsLeft) * SORTS + sort
}

/** Which of the six sorts a moment is of. */
function sortOf(moment: Moment): number {
  return 2 * repetition(moment) + Number((moment.traits[SCORE] as number) > 0)
}

/** The sorts a moment counts for: its own, and those that repeat themselves less. */
export function sortsUpTo(moment: Moment): readonly number[] {
  const sort = sortOf(moment)
  return [sort, sort - 2, sort - 4].filter((each) => each >= 0)
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
