import { foldsOf } from '../core/definition.ts'
import { PawlError } from '../core/pawl-error.ts'
import { asTheSessions } from './as-the-sessions.ts'
import { loadState } from './load-state.ts'
import { openingFacts } from './opening-facts.ts'
import type { Parts } from './parts.ts'
import { type Standing, untilWork } from './until-work.ts'

/**
 * Takes a run up whose agent is outside, up to the moment that agent is wanted: a known id goes on, an unknown one is started. Throws
 * `run.held` while another process drives it.
 */
export async function openRun(parts: Parts, run: string, signal: AbortSignal = new AbortController().signal): Promise<Standing> {
  const claimed = await parts.store.claim(run, parts.processes.self())
  if (claimed.status === 'held')
    throw new PawlError('run.held', `Run ${run} is driven by process ${claimed.holder.pid} now: let it end first.`)
  const { claim } = claimed
  try {
    const state = await loadState(parts.store, run, foldsOf(parts.definition))
    return await untilWork(
      { parts, claim, signal, adjusted: asTheSessions },
      state,
      await openingFacts(parts, run, state, claimed),
    )
  } finally {
    await parts.store.release(claim)
  }
}
