/** What a ratio is held against. */
export interface Bound {
  /** For people and for JSON: `<= 3`. */
  readonly text: string
  holds(value: number): boolean
}

/** Holds for values up to and with `max`. */
export function atMost(max: number): Bound {
  return { text: `<= ${max}`, holds: (value) => value <= max }
}

/** Holds for values from `min` on. */
export function atLeast(min: number): Bound {
  return { text: `>= ${min}`, holds: (value) => value >= min }
}
