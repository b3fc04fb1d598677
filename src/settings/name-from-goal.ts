import { nameFrom } from '../core/name-from.ts'

/** A short name made from words: small letters, digits and hyphens, unlike those in `taken`. Without a letter in them it is `task`. */
export function nameFromGoal(goal: string, taken: ReadonlySet<string>): string {
  return nameFrom(goal, taken, 'task')
}
