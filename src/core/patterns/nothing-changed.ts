import type { Pattern } from '../pattern.ts'
import { isUntouched } from '../is-untouched.ts'
import type { State } from '../state.ts'
import { evidenceOf, lastWhile } from './attempts.ts'

/** The agent left every file as it was, at least twice in a row. */
export function nothingChanged(state: State): Pattern | undefined {
  const { recent } = state
  const idle = lastWhile(recent, (iteration) => isUntouched(state, iteration))
  if (idle.length < 2) return undefined
  const when = idle.length === recent.length ? 'in any attempt' : `in the last ${idle.length} attempts`
  return { kind: 'nothing-changed', message: `The agent changed nothing ${when}.`, evidence: evidenceOf(idle) }
}
