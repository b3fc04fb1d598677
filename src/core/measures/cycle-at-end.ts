/** What comes round again at the end of a list. */
export interface Cycle {
  /** How many values one round has. */
  readonly period: number
  /** How many whole rounds there are. */
  readonly turns: number
}

/**
 * The shortest round of 2 to `periodMax` values that the list ends with at least `turnsMin` times, and for once only has begun again;
 * a round of one value all over is none. Values are the same when `isSame` says so, by default when they are equal.
 */
export function cycleAtEnd<Value>(
  values: readonly Value[],
  turnsMin: number,
  periodMax: number,
  isSame: (one: Value, other: Value) => boolean = Object.is,
): Cycle | undefined {
  const same = (one: number, other: number): boolean => isSame(values[one] as Value, values[other] as Value)
  const last = values.length - 1
  for (let period = 2; period <= periodMax && period * turnsMin <= values.length; period++) {
    let length = period
    while (length <= last && same(last - length, last - length + period)) length++
    const turns = Math.floor(length / period)
    if (turns >= turnsMin && length > period && !isAllTheSame(last, period, same)) return { period, turns }
  }
  return undefined
}

function isAllTheSame(last: number, period: number, same: (one: number, other: number) => boolean): boolean {
  for (let offset = 1; offset < period; offset++) if (!same(last - offset, last)) return false
  return true
}
