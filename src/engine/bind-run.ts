import { isOver } from '../core/outcome.ts'
import type { Fact } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Store } from '../stores/store.ts'
import { loadState, withSession } from './session.ts'
import type { Parts } from './parts.ts'
import { type BoundSession, listedRun, listSession } from './bound-sessions.ts'

export interface BindOptions extends Pick<Parts, 'store' | 'clock' | 'processes'> {
  /** The folder of the store: the list of sessions is kept beside it. */
  readonly folder: string
  /** Take the run from another session, or out of a pause. Default false: such a run is left alone. */
  readonly isForced?: boolean
}

/**
 * Makes a run belong to an agent's session: only that session's stops are answered for it from now on. `left-alone` when it belongs
 * to another one, is stopped or over. Throws `run.session-busy` for a session that works on another run.
 */
export async function bindRun(options: BindOptions, run: string, session: BoundSession): Promise<'bound' | 'left-alone'> {
  const { folder, isForced = false } = options
  await requireFreeSession(options.store, folder, run, session)
  return withSession(options, run, async (opened) => {
    const state = opened.state()
    if (!state || !isBindable(state, session, isForced)) return 'left-alone'
    // First the list, then the journal: a listed run that is not bound is answered for nobody.
    listSession(folder, session, run)
    if (isBoundTo(state, session) && state.status !== 'paused') return 'bound'
    await opened.record((present) => bindingFacts(options, present ?? state, session))
    return 'bound'
  })
}

/**
 * Throws `run.session-busy` if the session works on another run: by taking up an easier one it would get rid of the first. One that
 * waits for a person doesn't keep it.
 */
export async function requireFreeSession(store: Store, folder: string, run: string, session: BoundSession): Promise<void> {
  const other = listedRun(folder, session)
  if (other === undefined || other === run) return
  const state = await loadState(store, other)
  if (state?.status !== 'running' || !isBoundTo(state, session)) return
  throw new PawlError(
    'run.session-busy',
    `Session ${session.session} of ${session.agent} works on run ${other}, so it can't take up ${run} as well. A person can end the first one: pawl abort ${other}`,
    { value: other },
  )
}

/** Whether the run belongs to this very session. */
export function isBoundTo({ bound }: State, { agent, session }: BoundSession): boolean {
  return bound?.agent === agent && bound.session === session
}

function isBindable(state: State, session: BoundSession, isForced: boolean): boolean {
  if (isOver(state)) return false
  if (isForced) return true
  return state.status === 'running' && (state.bound === undefined || isBoundTo(state, session))
}

function bindingFacts({ clock, processes }: BindOptions, state: State, { agent, session }: BoundSession): readonly Fact[] {
  const at = clock.now()
  const by = { role: 'runner' } as const
  const reason = `Run ${state.run} goes on in a session of ${agent}.`
  return [
    { type: 'run.bound', at, by, data: { agent, session } },
    ...(state.status === 'paused' ? [{ type: 'run.resumed' as const, at, by, data: { holder: processes.self(), reason } }] : []),
  ]
}
