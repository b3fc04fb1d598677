import { isOver } from './outcome.ts'
import type { State } from './state.ts'

/** The session of an agent that a run belongs to. */
export type Bound = Pick<NonNullable<State['bound']>, 'agent' | 'session'>

/** "session 5f0e of claude". */
export function sessionWords({ agent, session }: Bound): string {
  return `session ${session} of ${agent}`
}

/** The session that goes on with the run; none where it is bound to nobody or over. */
export function boundNow({ bound, status }: Pick<State, 'bound' | 'status'>): Bound | undefined {
  return isOver({ status }) ? undefined : bound
}
