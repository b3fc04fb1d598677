import type { EffectOf } from '../../core/effect.ts'
import { next } from '../../core/next.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { Fact } from '../../core/event.ts'
import { asTheSessions } from '../../engine/as-the-sessions.ts'
import { perform } from '../../engine/perform.ts'
import type { Mode, Seat, Taken } from './seat.ts'

export interface GoOnOptions {
  /** What happened since. Default nothing. */
  readonly facts?: readonly Fact[]
  /** Told what is being done, for a client that wants to know. */
  readonly onProgress?: (line: string) => void
}

/**
 * Does what the run asks of us, looks at the workspace and checks, until it asks for the agent's work, waits, ends or is held. One that
 * is cancelled goes on from there with the next call.
 */
export async function goOn(seat: Seat, mode: Mode, { facts = [], onProgress }: GoOnOptions = {}): Promise<Taken['step']> {
  let { step } = await seat.take(facts, mode)
  let opened: Promise<{ readonly cwd: string }> | undefined
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    if (step.kind !== 'perform' || workIn(step)) return step
    for (const effect of step.effects) {
      opened ??= seat.parts.workspace.open(seat.run, seat.state().tree?.snapshot)
      const { cwd } = await opened
      const post = async (posted: readonly Fact[]): Promise<void> => void (await seat.take(posted, mode))
      const performing = perform(asTheSessions(effect, seat.state()), {
        parts: seat.parts,
        state: seat.state(),
        cwd,
        signal: seat.signal,
        post,
      })
      await (effect.kind === 'check' ? toldOf(performing, effect.name, onProgress) : performing)
      if (seat.signal.aborted) throw new PawlError('mcp.cancelled', 'The call was cancelled; what is done so far stays done.')
    }
    ;({ step } = await seat.take([], mode))
  }
  throw new PawlError('core.endless', `Run ${seat.run} kept asking for more without coming to an end; this is a defect of Pawl.`)
}

const ROUNDS_MAX = 1000

/** Clients give up on calls that say nothing for long. */
const PROGRESS_MS = 5000

async function toldOf(performing: Promise<void>, name: string, onProgress: GoOnOptions['onProgress']): Promise<void> {
  onProgress?.(`checking: ${name}`)
  const telling = setInterval(() => onProgress?.(`still checking: ${name}`), PROGRESS_MS)
  try {
    await performing
  } finally {
    clearInterval(telling)
  }
}

/**
 * Draws what follows from a person's answer, or from a start that was cut short, and says whether an iteration has begun by that. What
 * the agent is at work on stays as it is.
 */
export async function caughtUp(seat: Seat): Promise<boolean> {
  const { answer, status, current } = seat.state()
  const isBehind = answer !== undefined || (status === 'running' && (current.number === 0 || current.ended !== undefined))
  if (!isBehind) return false
  await goOn(seat, 'conclude')
  return seat.state().current.number > current.number
}

/** The work that is asked of the agent, where that is what comes next. */
export function workIn(step: Taken['step']): EffectOf<'work'> | undefined {
  return step.kind === 'perform' ? step.effects.find((effect) => effect.kind === 'work') : undefined
}

/** Whether everything of the iteration is done but its end, which waits for `iteration_next`. */
export function isHeld({ parts }: Seat, state: State): boolean {
  return next(parts.definition, state, { hold: true }).kind === 'hold'
}
