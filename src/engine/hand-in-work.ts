import type { EffectOf } from '../core/effect.ts'
import type { EffectKey } from '../core/event-data.ts'
import type { Usage } from '../core/event-data.ts'
import type { Fact } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import { type Session, withSession } from './session.ts'
import { openingFacts } from './opening-facts.ts'
import type { Parts } from './parts.ts'
import { untilWork } from './until-work.ts'
import { usageOf } from './perform-work.ts'
import { authorOf } from './work-start.ts'

/** Work that was done outside: what the agent said, or why it failed. */
export type HandedWork = Usage & { readonly key: EffectKey } & ({ readonly text: string } | { readonly failed: string })

/** The run's state, and the work that it wants now. */
export interface Wanted {
  readonly state: State
  readonly works: readonly EffectOf<'work'>[]
}

/**
 * Takes in work that agents did outside, does all that the loop wants of us, and says which work is wanted next. An unknown run is started, and
 * `choose` is asked what to hand in once it is known what is wanted. Throws `run.held` while another process drives the run.
 */
export async function handInWork(
  parts: Parts,
  run: string,
  choose: (wanted: Wanted) => readonly HandedWork[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Wanted> {
  return withSession(parts, run, async (session) => {
    const known = session.state()
    const isGoingOn = known !== undefined && known.status !== 'paused'
    const before = await wantedAfter(session, parts, isGoingOn ? [] : await openingFacts(parts, run, known), signal)
    const handed = choose(before)
    const facts = await Promise.all(handed.map(async (work) => workFact(parts, before, work)))
    return facts.length === 0 ? before : await wantedAfter(session, parts, facts, signal)
  })
}

async function wantedAfter(session: Session, parts: Parts, facts: readonly Fact[], signal: AbortSignal): Promise<Wanted> {
  const { state, step, isInterrupted } = await untilWork(session, parts, facts, {
    signal,
    isOurs: ({ role }) => isPlayed(parts, role),
  })
  const effects = step.kind === 'perform' && !isInterrupted ? step.effects : []
  return { state, works: effects.filter((effect) => effect.kind === 'work') }
}

/** Whether the run has an agent of its own for a role, such as the judge of research that a lead drives. */
function isPlayed({ roles = {} }: Parts, role: string): boolean {
  return Object.hasOwn(roles, role) || Object.hasOwn(roles, role.slice(role.indexOf(':') + 1))
}

async function workFact({ agent, store, clock }: Parts, { works, state }: Wanted, work: HandedWork): Promise<Fact> {
  const { key } = work
  if (!works.some((each) => each.key === key)) {
    const keys = works.map((each) => each.key).join(', ')
    throw new PawlError(
      'work.not-wanted',
      `Run ${state.run} does not want ${key} now; ${keys === '' ? 'it wants no work' : `it wants ${keys}`}.`,
      { value: key },
    )
  }
  const common = { key, durationMs: 0, ...usageOf(work) }
  const at = clock.now()
  const by = authorOf(agent)
  if ('failed' in work)
    return { type: 'work.failed', at, by, data: { ...common, reason: 'failed', fault: 'agent', message: work.failed } }
  const output = work.text === '' ? {} : { output: await store.putText({ text: work.text, bytesCut: 0 }) }
  return { type: 'work.finished', at, by, data: { ...common, ...output } }
}
