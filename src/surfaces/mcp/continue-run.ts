import type { Advance } from '../../core/advance.ts'
import type { Effect, EffectOf } from '../../core/effect.ts'
import { next } from '../../core/next.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { Fact } from '../../core/event.ts'
import { untilWork } from '../../engine/until-work.ts'
import { takeOptions, type ToolSession } from './tool-session.ts'
import { questionInWords } from '../../present/words.ts'

export interface ContinueOptions {
  /** Leaves the iteration open, so that guards judge it when the agent asks for the next one. Default false. */
  readonly hold?: boolean
  /** What happened since. Default nothing. */
  readonly facts?: readonly Fact[]
  /** Called with what is being done, for a client that wants to know. */
  readonly onProgress?: (line: string) => void
}

/**
 * Does what the run asks of Pawl, looks at the workspace and checks, until it asks for the agent's work, waits, ends or is held open. A
 * call that is cancelled leaves the rest to the next one.
 */
export async function continueRun(session: ToolSession, options: ContinueOptions = {}): Promise<Advance['step']> {
  const { hold = false, facts = [], onProgress } = options
  const { engine, parts, signal } = session
  const { step, isInterrupted } = await untilWork(engine, parts, facts, {
    ...takeOptions(parts, hold),
    signal,
    isAgentInFolder: true,
    around: (effect, performing) => reporting(effect, performing, onProgress),
  })
  if (isInterrupted) throw new PawlError('mcp.cancelled', 'The call was cancelled; what is done so far stays done.')
  return step
}

/** Clients give up on calls that say nothing for long. */
const PROGRESS_MS = 5000

async function reporting(
  effect: Effect,
  performing: () => Promise<void>,
  onProgress: ContinueOptions['onProgress'],
): Promise<void> {
  if (effect.kind !== 'check' || !onProgress) return performing()
  onProgress(`checking: ${effect.name}`)
  const reports = setInterval(() => onProgress(`still checking: ${effect.name}`), PROGRESS_MS)
  try {
    await performing()
  } finally {
    clearInterval(reports)
  }
}

/**
 * Does what a person's answer leads to, or what a start that was cut short left over. True if an iteration has begun by that. Work that
 * the agent has begun stays as it is. An iteration that an answer opened again stays open: whoever called says how it ends.
 */
export async function settlePending(session: ToolSession): Promise<boolean> {
  const { answer, status, current, added } = session.state()
  const isBehind = answer !== undefined || (status === 'running' && (current.number === 0 || current.ended !== undefined))
  if (!isBehind) return false
  await continueRun(session, { hold: added !== undefined })
  return session.state().current.number > current.number
}

/** The work that is asked of the agent, where that is what comes next. */
function workIn(step: Advance['step']): EffectOf<'work'> | undefined {
  return step.kind === 'perform' ? step.effects.find((effect) => effect.kind === 'work') : undefined
}

/** Whether everything of the iteration is done but its end, which waits for `iteration_next`. */
export function isHeld({ parts }: ToolSession, state: State): boolean {
  return next(parts.definition, state, { hold: true }).kind === 'hold'
}

/** Refuses a run that takes no more work, with what to do instead. */
export function requireGoingOn({ run, status, message, question }: State): void {
  if (status === 'running') return
  const way = question
    ? `It asks: ${questionInWords(question.question).text} Call run_question to ask a person, or have them answer with: pawl answer ${run}`
    : 'Begin a new loop with iteration_start.'
  throw new PawlError('mcp.not-going-on', `Run ${run} is ${status}: ${message} ${way}`, { value: run })
}

/** What the agent is asked to do now, where the run waits for its work. */
export function briefNow({ parts }: ToolSession, state: State): string | undefined {
  const step = next(parts.definition, state)
  return step.kind === 'record' ? undefined : workIn(step)?.brief
}
