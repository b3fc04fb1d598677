import { byDefault, oneOf } from '../schema/kinds.ts'
import type { SettingsSchema } from '../schema/read-options.ts'

/** What pawl.yaml, flags and the reference know of a guard. */
export interface GuardSettings {
  readonly schema: SettingsSchema
  /** Its place among the guards that every run has unless told otherwise; absent if it is off until it is named. */
  readonly place?: number
  /** Set for limits, which have keys of their own at the top of pawl.yaml instead of an entry under `guards`. */
  readonly isLimit?: true
  /** The settings that one bare text in pawl.yaml may mean: the first that can be read as it. One of them is needed. */
  readonly bareTexts?: readonly string[]
}

/** What a guard does when it holds: `trip` stops the run and asks a person, `warn` only tells the agent. */
export const SEVERITY = oneOf(['trip', 'warn'])

/** The setting that says so. */
export function severityOf<const Level extends 'trip' | 'warn'>(level: Level) {
  return byDefault(SEVERITY, level, '`trip` stops the run and asks you, `warn` only tells the agent')
}
