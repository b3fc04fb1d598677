import type { State } from '../../core/state.ts'
import { workIn } from './continue-run.ts'
import type { ToolSession } from './tool-session.ts'
import { next } from '../../core/next.ts'

/** What the agent is asked to do now, where the run waits for its work. */
export function briefNow({ parts }: ToolSession, state: State): string | undefined {
  const step = next(parts.definition, state)
  return step.kind === 'record' ? undefined : workIn(step)?.brief
}
