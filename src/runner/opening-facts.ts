import { isDeepStrictEqual } from 'node:util'
import type { Fact } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { redactJson } from '../journal/redact.ts'
import type { Parts } from './parts.ts'

/**
 * What taking a run up says first: that it began; or that it was reconfigured, that another process goes on with it, and what
 * became of work that was under way. A run that stands still or is over gets no new fact.
 */
export async function openingFacts(parts: Parts, run: string, state: State | undefined): Promise<readonly Fact[]> {
  const { clock, config } = parts
  const by = { role: 'runner' } as const
  if (!state) return [{ type: 'run.started', at: clock.now(), by, data: { config } }]
  if (state.status === 'completed' || state.status === 'aborted') return []
  const facts: Fact[] = []
  // The journal has the configuration without secrets, so it is compared without them.
  const change = differenceOf(state.given, await redactJson(config))
  if (change !== undefined) facts.push({ type: 'run.reconfigured', at: clock.now(), by, data: { config, message: change } })
  const isGoingOn = state.status === 'running' || state.status === 'paused' || change !== undefined
  if (!isGoingOn) return facts
  facts.push({
    type: 'run.resumed',
    at: clock.now(),
    by,
    data: { holder: parts.processes.self(), reason: `Run ${run} goes on.` },
  })
  return [...facts, ...(await abandoned(parts, state))]
}

/** Ends what outlived its runner before anything is started again. */
async function abandoned({ processes, clock }: Parts, state: State): Promise<readonly Fact[]> {
  const facts: Fact[] = []
  for (const { key, status, kind, process } of state.current.effects) {
    if (status !== 'open') continue
    const end = process ? await processes.end(process) : 'gone'
    if (process && end === 'alive') throw stillAtWork(state.run, process.pid)
    if (kind !== 'work') continue
    const reason = end === 'ended' ? 'its runner was gone; the agent was still at work and was ended' : 'its runner was gone'
    facts.push({ type: 'work.abandoned', at: clock.now(), by: { role: 'runner' }, data: { key, reason } })
  }
  return facts
}

/** Two agents in one folder would undo each other's work, so this one has to go first. */
function stillAtWork(run: string, pid: number): PawlError {
  return new PawlError(
    'run.agent-alive',
    `Process group ${pid} of run ${run} is still at work and could not be ended: end it (kill -9 -${pid}), then resume.`,
  )
}

/** Which parts of a configuration changed, in words; nothing when it is the same. */
export function differenceOf(before: RunConfig, after: RunConfig): string | undefined {
  const names = ['loop', 'guards', 'agent', 'checks', 'workspace', 'program'] as const
  const changed = names.filter((name) => !isDeepStrictEqual(plain(before[name]), plain(after[name])))
  return changed.length === 0 ? undefined : `Changed: ${changed.join(', ')}.`
}

/** As the journal would give it back: without `undefined` fields. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
