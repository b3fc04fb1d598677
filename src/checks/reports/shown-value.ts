import { inspect } from 'node:util'

/** A value as a line of source text, so that `'42'` and `42` stay apart; deep and long ones are shortened. */
export function shownValue(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: 100, sorted: true, maxStringLength: 2000, maxArrayLength: 50 })
}
