import type { State } from '../../core/state.ts'
import { importedFrom } from './imported-config.ts'

/** Whether the present iteration is a turn of an imported session without a report: its verdict is then that of a turn before. */
export function isUnchecked({ config, current }: State): boolean {
  return importedFrom(config) !== undefined && current.checks.length === 0
}
