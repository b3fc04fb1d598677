import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { checkpointFact } from './checkpoint-fact.ts'
import { blockedReason, blockedWords } from './blocked-words.ts'
import { continueRun, isHeld, requireGoingOn, settlePending } from './continue-run.ts'
import type { ToolSession } from './tool-session.ts'
import { type ValidationRequest, validateWork } from './validate-work.ts'

/** What asking for the next iteration came to. */
export type NextIteration =
  | { readonly kind: 'next'; readonly state: State }
  | { readonly kind: 'completed'; readonly state: State }
  | { readonly kind: 'blocked'; readonly blockedBy: string; readonly error: string; readonly state: State }

/**
 * Ends the agent's iteration, asks the guards and begins the next one, or stops with what stands in the way. Work that was not
 * validated is validated first. A run that is blocked already says so again.
 */
export async function nextIteration(session: ToolSession, wish: ValidationRequest): Promise<NextIteration> {
  const hasBegun = (await settlePending(session)) || (await handedOut(session))
  if (!hasBegun && session.state().question === undefined) {
    requireGoingOn(session.state())
    if (!isHeld(session, session.state())) await validateWork(session, wish)
    if (session.state().status === 'running') await continueRun(session)
  }
  const state = session.state()
  if (state.status === 'completed') return { kind: 'completed', state }
  if (!state.question) {
    requireGoingOn(state)
    return { kind: 'next', state }
  }
  const { blockedBy, error } = blockedWords(state)
  if (!state.checkpoints.some(({ seq }) => seq > (state.question?.seq ?? 0)))
    await session.take([finalCheckpoint(session, state, blockedBy, error)])
  return { kind: 'blocked', blockedBy, error, state: session.state() }
}

/** An iteration that someone else began, a hook for one, and whose work was not given out here: that is the next one. */
async function handedOut(session: ToolSession): Promise<boolean> {
  const { status, current } = session.state()
  const key = effectKey(current.number, 'coder')
  if (status !== 'running' || current.effects.some((effect) => effect.key === key)) return false
  await continueRun(session)
  return true
}

function finalCheckpoint({ parts }: ToolSession, state: State, blockedBy: string, error: string): Fact<'checkpoint.created'> {
  const context = { safetyGuardTriggered: blockedBy, message: error, blockedReason: blockedReason({ blockedBy, error }) }
  const kept = state.tree ?? { tree: '', snapshot: '' }
  return checkpointFact(state, parts.clock.now(), { ...kept, trigger: 'error', context: JSON.stringify(context) })
}
