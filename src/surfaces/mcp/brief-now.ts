import type { State } from '../../core/state.ts'
import { workIn } from './go-on.ts'
import type { Seat } from './seat.ts'
import { next } from '../../core/next.ts'

/** What the agent is asked to do now, where the run waits for its work. */
export function briefNow({ parts }: Seat, state: State): string | undefined {
  const step = next(parts.definition, state)
  return step.kind === 'record' ? undefined : workIn(step)?.brief
}
