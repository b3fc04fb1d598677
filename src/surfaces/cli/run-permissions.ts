import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { isProcessAlive, processAround } from '../../process/process-identity.ts'
import { loadState } from '../../engine/session.ts'
import { isBoundTo } from '../../engine/bind-run.ts'
import type { BoundSession } from '../../engine/bound-sessions.ts'
import { sessionsAround } from './agent-session.ts'
import type { CliContext } from './cli-context.ts'
import { withExistingStore } from './stored-run.ts'
import type { State } from '../../core/state.ts'
import { importedFrom } from '../../evidence/transcripts/turn-facts.ts'
import { boundNow, sessionWords } from '../../core/outcome.ts'
import type { RunView } from '../../present/run-view.ts'

/**
 * Throws if a command that only a person may use is called by the run's own agent: an agent must not answer its own questions, or end or
 * change what controls it. Pawl sets `PAWL_RUN` for every program of a run. An agent that unsets it is still a child of a process that
 * Pawl started. The session that a run belongs to is known by the agent's own variables. It may bind its run `to` itself again.
 */
export async function requireOutsideWork(
  context: CliContext,
  run: string,
  done: 'aborted' | 'answered' | 'resumed' | 'restored' | 'bound' | 'cleaned' | 'changed' | 'removed',
  to?: BoundSession,
): Promise<void> {
  const sign = process.env['PAWL_RUN'] === run ? 'PAWL_RUN names it' : await startedBy(context, run, to)
  if (sign === undefined) return
  throw new PawlError(
    'run.own-work',
    `Run ${run} cannot be ${done} from within its own work (${sign}): an agent that wants that says so in its answer, and a person decides, from a terminal of their own.`,
    { value: run },
  )
}

async function startedBy(context: CliContext, run: string, to: BoundSession | undefined): Promise<string | undefined> {
  const state = await withExistingStore(context, (store) => loadState(store, run, builtInFolds))
  const open = state?.current.effects.filter(({ status }) => status === 'open') ?? []
  const around = processAround(open.flatMap(({ process }) => process ?? []))
  if (around) return `process ${around.pid}, which works for it, started this command`
  const bound = state && boundNow(state)
  if (!bound || (to && isBoundTo(state, to))) return undefined
  const isInside = sessionsAround().some(
    ({ agent, session }) => agent === bound.agent && (session === undefined || session === bound.session),
  )
  return isInside ? `it belongs to ${sessionWords(bound)}, which started this command` : undefined
}

/** Throws for an imported run: it records a session that Pawl didn't run, so nothing can continue it. */
export function requireOwnRun({ run, config }: State): void {
  const from = importedFrom(config)
  if (!from) return
  throw new PawlError(
    'run.imported',
    `Run ${run} was imported from a transcript of ${from.agent} and cannot go on: it is a record. Begin a new one: pawl task "…" --agent ${from.agent}`,
    { value: run },
  )
}

/** Throws if the run belongs to an agent's session: two agents would work on the same files. */
export function requireUnbound(state: State): void {
  const bound = boundNow(state)
  if (!bound) return
  const { run, status } = state
  const there =
    status === 'paused'
      ? `and is paused: continue there with \`pawl bind ${run}\``
      : "and continues at the end of that session's turn: let it"
  const message = `Run ${run} belongs to ${sessionWords(bound)}, ${there}, or take it away from there with: pawl resume ${run} --unbind`
  throw new PawlError('run.bound', message, { value: run })
}

/** Throws if the run's agent or check is still running although its runner is gone: both would change the same files. */
export function requireNobodyAtWork({ run, underWay }: RunView): void {
  const alive = underWay.find(({ process }) => process && isProcessAlive(process) === true)
  if (!alive?.process) return
  const { pid, host } = alive.process
  throw new PawlError(
    'run.at-work',
    `The ${alive.kind === 'work' ? 'agent' : alive.kind} of run ${run} is still at work as process ${pid} on ${host}, though its runner is gone: pawl resume ${run} ends it and continues.`,
    { value: pid },
  )
}
