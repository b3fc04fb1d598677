import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One conversation with an agent, as the agent itself names it. */
export interface BoundSession {
  readonly agent: string
  readonly session: string
}

/**
 * The run that a session is listed for, beside the store. Only a hint, so that a hook of any other session costs nothing: whether the
 * run is bound, its journal says.
 */
export function listedRun(folder: string, session: BoundSession): string | undefined {
  const [run = ''] = linesOf(folder, session)
  return /^[\w.-]{1,100}$/.test(run) ? run : undefined
}

/** The turn of the session that should end, as its agent names it. */
export function haltedTurn(folder: string, session: BoundSession): string | undefined {
  return linesOf(folder, session)[1]
}

/** Puts a session on the list; `halted` is the turn that should end. */
export function listSession(folder: string, session: BoundSession, run: string, halted?: string): void {
  const path = pathOf(folder, session)
  mkdirSync(join(folder, SESSIONS), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, halted === undefined ? `${run}\n` : `${run}\n${halted}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function linesOf(folder: string, session: BoundSession): readonly string[] {
  try {
    return readFileSync(pathOf(folder, session), 'utf8').trim().split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Takes a session off the list: its run is over. */
export function forgetSession(folder: string, session: BoundSession): void {
  rmSync(pathOf(folder, session), { force: true })
}

const SESSIONS = 'sessions'

/** Where something is kept about a session. A session's name may be anything, so the file is named by its hash. */
export function pathOf(folder: string, { agent, session }: BoundSession): string {
  return join(folder, SESSIONS, hash('sha256', `${agent}\n${session}`).slice(0, 32))
}
