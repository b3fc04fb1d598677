import type { Action } from '../action.ts'

/** The same call with the same result. An action that has none yet equals no other. */
export function isSameAction(one: Action, other: Action): boolean {
  return one.result !== undefined && one.result === other.result && one.input === other.input && one.name === other.name
}
