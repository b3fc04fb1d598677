import { hasStore } from '../../registry/store-address.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import { ownWorkError, signOfOwnWork } from '../../engine/own-work.ts'
import type { BoundSession } from '../../engine/bound-sessions.ts'
import { type CliContext, withStore } from './cli-context.ts'
import type { Store } from '../../stores/store.ts'
import type { State } from '../../core/state.ts'
import { importedFrom } from '../../evidence/transcripts/turn-facts.ts'
import { boundNow, sessionWords } from '../../core/outcome.ts'
import type { RunView } from '../../present/run-view.ts'

/**
 * Throws if a command that only a person may use is called by the run's own agent: an agent must not answer its own questions, or end or
 * change what controls it. It may bind its run `to` itself again.
 */
export async function requireOutsideWork(
  context: CliContext,
  run: string,
  done: 'aborted' | 'answered' | 'resumed' | 'restored' | 'bound' | 'cleaned' | 'changed' | 'removed',
  to?: BoundSession,
): Promise<void> {
  const { storePath } = context.project
  const looked = (store?: Store): Promise<string | undefined> => signOfOwnWork(store, run, builtInFolds, { to })
  const sign = hasStore(storePath) ? await withStore(context, looked) : await looked()
  if (sign !== undefined) throw ownWorkError(run, done, sign)
}

/** Throws for an imported run: it records a session that Pawl didn't run, so nothing can continue it. */
export function requireOwnRun({ run, config }: State): void {
  const from = importedFrom(config)
  if (!from) return
  throw new PawlError(
    'run.imported',
    `Run ${run} was imported from a transcript of ${from.agent} and can't continue: it is a record. Start a new one: pawl task "…" --agent ${from.agent}`,
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
