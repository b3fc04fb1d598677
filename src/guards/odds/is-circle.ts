import type { Moment } from './moment.ts'
import { placeOf } from './traits.ts'

/**
 * Whether a loop goes round in circles: attempts, when the same work was handed in three times; turns, when the same error came three
 * times in a row. An attempt that tries something else and meets with the same error is no circle.
 */
export function isCircle({ kind, traits }: Pick<Moment, 'kind' | 'traits'>): boolean {
  return (traits[kind === 'attempts' ? WORK_COUNT : ERROR_STREAK] as number) >= REPEATS_MIN
}

const REPEATS_MIN = 3
const WORK_COUNT = placeOf('workCount')
const ERROR_STREAK = placeOf('errorStreak')
