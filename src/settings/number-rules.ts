import { z } from 'zod'

/** A whole number from `min` on. */
export function wholeNumber(min: number) {
  const expected = `a whole number of at least ${min}`
  return z.int(expected).min(min, expected)
}

/** A share above 0 and up to 1. */
export function share() {
  const expected = 'a share above 0 and up to 1'
  return z.number(expected).gt(0, expected).max(1, expected)
}
