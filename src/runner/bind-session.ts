import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fact } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import { loadState } from './load-state.ts'
import type { Parts } from './parts.ts'

/** One conversation with an agent, as the agent itself names it. */
export interface Session {
  readonly agent: string
  readonly session: string
}

export interface BindOptions extends Pick<Parts, 'store' | 'clock' | 'processes'> {
  /** The folder of the store: the list of sessions is kept beside it. */
  readonly folder: string
  /** Take the run from another session, or out of a pause. Default false: such a run is left alone. */
  readonly isForced?: boolean
}

/**
 * Makes a run belong to an agent's session: only that session's stops are answered for it from now on. `left-alone` when it belongs
 * to another one, stands still or is over.
 */
export async function bindRun(options: BindOptions, run: string, session: Session): Promise<'bound' | 'left-alone'> {
  const { store, processes, folder, isForced = false } = options
  const claimed = await store.claim(run, processes.self())
  if (claimed.status === 'held') throw held(run, claimed.holder.pid)
  const { claim } = claimed
  try {
    const state = await loadState(store, run)
    if (!state || !isBindable(state, session, isForced)) return 'left-alone'
    // First the list, then the journal: a listed run that is not bound is answered for nobody.
    writeSession(folder, session, run)
    if (isBoundTo(state, session) && state.status !== 'paused') return 'bound'
    const answer = await store.append(run, bindingFacts(options, state, session), { claim, expectedSeq: state.seq })
    if (answer.status === 'appended') return 'bound'
    throw new PawlError('run.busy', `Run ${run} was written to by someone else just now; try again.`)
  } finally {
    await store.release(claim)
  }
}

/** Whether the run belongs to this very session. */
export function isBoundTo({ bound }: State, { agent, session }: Session): boolean {
  return bound?.agent === agent && bound.session === session
}

/** The run that the session is listed for. Only a hint: whether it is bound, its journal says. */
export function listedRun(folder: string, session: Session): string | undefined {
  try {
    const run = readFileSync(pathOf(folder, session), 'utf8').trim()
    return /^[\w.-]{1,100}$/.test(run) ? run : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Takes the session off the list: its run is over. */
export function forgetSession(folder: string, session: Session): void {
  rmSync(pathOf(folder, session), { force: true })
}

function isBindable(state: State, session: Session, isForced: boolean): boolean {
  if (state.status === 'completed' || state.status === 'aborted') return false
  if (isForced) return true
  return state.status === 'running' && (state.bound === undefined || isBoundTo(state, session))
}

function bindingFacts({ clock, processes }: BindOptions, state: State, { agent, session }: Session): readonly Fact[] {
  const at = clock.now()
  const by = { role: 'runner' } as const
  const reason = `Run ${state.run} goes on in a session of ${agent}.`
  return [
    { type: 'run.bound', at, by, data: { agent, session } },
    ...(state.status === 'paused' ? [{ type: 'run.resumed' as const, at, by, data: { holder: processes.self(), reason } }] : []),
  ]
}

function writeSession(folder: string, session: Session, run: string): void {
  const path = pathOf(folder, session)
  mkdirSync(join(folder, SESSIONS), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, `${run}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

const SESSIONS = 'sessions'

/** A session's name may be anything, so the file is named by its hash. */
function pathOf(folder: string, { agent, session }: Session): string {
  return join(folder, SESSIONS, hash('sha256', `${agent}\n${session}`).slice(0, 32))
}

function held(run: string, pid: number): PawlError {
  return new PawlError('run.held', `Run ${run} is driven by process ${pid} now: let it end, or pause it with Ctrl-C, then bind.`)
}
