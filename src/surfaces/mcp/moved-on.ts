import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { checkpointFact } from './checkpoint-fact.ts'
import { blockedReason, blockedWords } from './blocked-words.ts'
import { requireGoingOn } from './require-going-on.ts'
import type { Seat } from './seat.ts'
import { caughtUp, goOn, isHeld } from './go-on.ts'
import { type ValidationWish, validated } from './validated.ts'

/** What asking for the next iteration came to. */
export type MovedOn =
  | { readonly kind: 'next'; readonly state: State }
  | { readonly kind: 'completed'; readonly state: State }
  | { readonly kind: 'blocked'; readonly blockedBy: string; readonly error: string; readonly state: State }

/**
 * Ends the agent's iteration, asks the guards and begins the next one, or stops with what stands in the way. Work that was not
 * validated is validated first. A run that is blocked already says so again.
 */
export async function movedOn(seat: Seat, wish: ValidationWish): Promise<MovedOn> {
  const hasBegun = (await caughtUp(seat)) || (await handedOut(seat))
  if (!hasBegun && seat.state().question === undefined) {
    requireGoingOn(seat.state())
    if (!isHeld(seat, seat.state())) await validated(seat, wish)
    if (seat.state().status === 'running') await goOn(seat, 'conclude')
  }
  const state = seat.state()
  if (state.status === 'completed') return { kind: 'completed', state }
  if (!state.question) {
    requireGoingOn(state)
    return { kind: 'next', state }
  }
  const { blockedBy, error } = blockedWords(state)
  if (!state.checkpoints.some(({ seq }) => seq > (state.question?.seq ?? 0)))
    await seat.take([finalCheckpoint(seat, state, blockedBy, error)], 'conclude')
  return { kind: 'blocked', blockedBy, error, state: seat.state() }
}

/** An iteration that someone else began, a hook for one, and whose work was not given out here: that is the next one. */
async function handedOut(seat: Seat): Promise<boolean> {
  const { status, current } = seat.state()
  const key = effectKey(current.number, 'coder')
  if (status !== 'running' || current.effects.some((effect) => effect.key === key)) return false
  await goOn(seat, 'conclude')
  return true
}

function finalCheckpoint({ parts }: Seat, state: State, blockedBy: string, error: string): Fact<'checkpoint.created'> {
  const context = { safetyGuardTriggered: blockedBy, message: error, blockedReason: blockedReason({ blockedBy, error }) }
  const kept = state.tree ?? { tree: '', snapshot: '' }
  return checkpointFact(state, parts.clock.now(), { ...kept, trigger: 'error', context: JSON.stringify(context) })
}
