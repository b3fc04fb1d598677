import type { BoundSession } from './bound-sessions.ts'
import { isBoundTo } from './bind-run.ts'
import type { Folds } from '../core/definition.ts'
import { PawlError } from '../core/pawl-error.ts'
import { boundNow, sessionWords } from '../core/outcome.ts'
import { environmentsAround, processAround } from '../process/process-identity.ts'
import type { Store } from '../stores/store.ts'
import { loadState } from './session.ts'

/** Who does something to a run. */
export interface Doer {
  /** The process that does it. Default: this one. */
  readonly pid?: number
  /** The session that the run is to be bound to: that may be its own again. */
  readonly to?: BoundSession | undefined
}

/**
 * Why a process counts as the run's own work; `undefined` if it doesn't. Pawl sets `PAWL_RUN` for every program of a run. An agent that
 * unsets it is still a child of a process that Pawl started. The session that a run belongs to is known by the agent's own variables.
 */
export async function signOfOwnWork(
  store: Store | undefined,
  run: string,
  folds: Folds,
  { pid = process.pid, to }: Doer = {},
): Promise<string | undefined> {
  if (environmentsAround(pid)[0]?.['PAWL_RUN'] === run) return 'PAWL_RUN names it'
  const state = store && (await loadState(store, run, folds))
  const open = state?.current.effects.filter(({ status }) => status === 'open') ?? []
  const around = processAround(
    open.flatMap(({ process: recorded }) => recorded ?? []),
    pid,
  )
  if (around) return `process ${around.pid}, which works for it, started this command`
  const bound = state && boundNow(state)
  if (!bound || (to && isBoundTo(state, to))) return undefined
  const isInside = sessionsAround(pid).some(
    ({ agent, session }) => agent === bound.agent && (session === undefined || session === bound.session),
  )
  return isInside ? `it belongs to ${sessionWords(bound)}, which started this command` : undefined
}

/** The refusal for a run's own work that wants to do something to the run. */
export function ownWorkError(run: string, done: string, sign: string): PawlError {
  return new PawlError(
    'run.own-work',
    `Run ${run} cannot be ${done} from within its own work (${sign}): an agent that wants that says so in its answer, and a person decides, from a terminal of their own.`,
    { value: run },
  )
}

/** Variables by which agents tell the programs they start which session they belong to. */
export const TELLING = [
  ['CLAUDE_CODE_SESSION_ID', 'claude'],
  ['CODEX_THREAD_ID', 'codex'],
  // Told to its hooks only, not to what its shell tool starts.
  ['GEMINI_SESSION_ID', 'gemini'],
] as const

/** Agents that tell only who they are. */
export const SILENT = [
  ['GEMINI_CLI', 'gemini', 'Gemini CLI'],
  ['QWEN_CODE', 'qwen', 'Qwen Code'],
] as const

/**
 * The agents' sessions in which a process was started, the id if the agent reports it. What a program unsets for another still shows
 * in the program that it was started by itself.
 */
export function sessionsAround(pid = process.pid): readonly { readonly agent: string; readonly session?: string }[] {
  return environmentsAround(pid).flatMap((env) => [
    ...TELLING.flatMap(([name, agent]) => (isSet(env[name]) ? [{ agent, session: env[name] }] : [])),
    ...SILENT.flatMap(([name, agent]) => (isSet(env[name]) ? [{ agent }] : [])),
  ])
}

/** Whether a variable has a value. */
export function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}
