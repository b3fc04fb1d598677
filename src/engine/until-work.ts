import type { Advance } from '../core/advance.ts'
import type { Effect, EffectOf } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import { isEnding } from '../core/outcome.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import { requireKeptWhole } from '../journal/redact-facts.ts'
import { openingFacts } from './opening-facts.ts'
import type { Parts } from './parts.ts'
import { perform } from './perform.ts'
import { type Session, TakenOver, type TakeOptions, withSession } from './session.ts'

/** Where a run is now whose agent works outside: in its own session, or for the caller. */
export interface RunPosition {
  readonly state: State
  readonly step: Advance['step']
  /** Set if `signal` was aborted: work under way left no result and is asked for again next time. */
  readonly isInterrupted?: true
}

export interface UntilWorkOptions extends TakeOptions {
  readonly signal?: AbortSignal
  /**
   * The agent's own session works in the folder all the time, as with hooks and MCP tools: what changed since the last look counts
   * as the session's, also if a person answered meanwhile. Asking about a person's edit that looks like tampering costs less than
   * tampering that nobody asks about. What the session changes while checks run is not the checks' doing. Default false.
   */
  readonly isAgentInFolder?: boolean
  /** Work that Pawl does itself, because the run has an agent for its role. Default: all work is done outside. */
  readonly isOurs?: (work: EffectOf<'work'>) => boolean
  /** Asked whenever facts are taken in: whether the iteration stays open, as with `hold`. Default: it doesn't. */
  readonly isHolding?: () => boolean
  /** Called around every effect, to show what is being done. Default: it is performed. */
  readonly around?: (effect: Effect, performing: () => Promise<void>) => Promise<void>
}

/**
 * Takes facts in and does all that the loop wants of Pawl (looks at the workspace, runs checks), until the agent itself is wanted, a
 * person, a timer, or the run is over. The agent is outside: the caller hands it the brief. One effect at a time.
 */
export async function untilWork(
  session: Session,
  parts: Parts,
  facts: readonly Fact[],
  options: UntilWorkOptions = {},
): Promise<RunPosition> {
  const {
    signal: given = NEVER,
    isAgentInFolder = false,
    isOurs,
    isHolding,
    around = (_effect, performing) => performing(),
  } = options
  const taking = (): TakeOptions => ({ ...options, ...(isHolding?.() ? { hold: true } : {}) })
  const known = session.state()
  if (known && !isEnding(known)) await requireKeptWhole(known.config, known.run)
  const signal = AbortSignal.any([given, session.lost])
  let last = await session.take(parts.definition, facts, taking())
  const post = async (posted: readonly Fact[]): Promise<void> => {
    last = await session.take(parts.definition, posted, taking())
  }
  let opening: Promise<{ readonly cwd: string }> | undefined
  for (;;) {
    const { state, step } = last
    if (given.aborted) return { state, step, isInterrupted: true }
    if (step.kind !== 'perform') return { state, step }
    // Pawl does its own part first, also while other agents work: they hear of a bad answer at once.
    const effect = step.effects.find((each) => each.kind !== 'work' || isOurs?.(each))
    if (!effect && step.effects.length > 0) return { state, step }
    if (!effect) throw endless(state)
    opening ??= parts.workspace.open(session.run, state.tree?.snapshot)
    const { cwd } = await opening
    const wanted = isAgentInFolder ? inSharedFolder(effect, state) : effect
    await around(wanted, () => perform(wanted, { parts, state, cwd, signal, post }))
    if (session.lost.aborted) throw new TakenOver(session.run)
    if (last.state.seq === state.seq && !signal.aborted) throw endless(state)
  }
}

const NEVER = new AbortController().signal

/** See `UntilWorkOptions.isAgentInFolder`. */
function inSharedFolder(effect: Effect, { current }: State): Effect {
  if (effect.kind === 'check' && effect.isLast) {
    const { isLast: _left, ...check } = effect
    return check
  }
  if (effect.kind === 'prove') return { ...effect, isShared: true }
  if (effect.kind !== 'observe' || effect.by !== 'person') return effect
  return { ...effect, by: current.work.length === 0 ? 'agent' : 'session' }
}

function endless({ run }: State): PawlError {
  return new PawlError('core.endless', `Run ${run} asks for the same again and again; this is a defect of its loop.`)
}

/**
 * Takes a run up whose agent is outside, up to the moment that agent is wanted: a known id is resumed, an unknown one is started. Throws
 * `run.held` while another process drives it.
 */
export async function openRun(parts: Parts, run: string): Promise<RunPosition> {
  return withSession(parts, run, async (session) =>
    untilWork(session, parts, await openingFacts(parts, run, session.state(), session), { isAgentInFolder: true }),
  )
}
