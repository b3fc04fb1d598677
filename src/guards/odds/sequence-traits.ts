/** How a list of values repeats itself, seen from its end. */
export interface SequenceTraits {
  /** Whether the last value is known. */
  readonly hasLast: boolean
  /** How often the last value stands at the end without another in between; 0 where it is not known. */
  readonly streak: number
  /** How often the last value stands in the list. */
  readonly count: number
  readonly known: number
  readonly different: number
  /** Of the known ones; 1 where none is known. */
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
