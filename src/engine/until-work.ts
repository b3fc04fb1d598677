import { foldsOf } from '../core/definition.ts'
import { advance, type Advance } from '../core/advance.ts'
import type { Effect } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import { isEnding } from '../core/is-ending.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import { redactFacts, requireKeptWhole } from '../secrets/filter.ts'
import type { Claim } from '../stores/store.ts'
import { cacheState, catchUp } from './load-state.ts'
import type { Parts } from './parts.ts'
import { perform } from './perform.ts'

/** Where a run stands that is driven from outside: by an agent's own session, through a hook. */
export type Standing =
  | { readonly status: 'standing'; readonly state: State; readonly step: Advance['step'] }
  /** Someone else drives the run now. */
  | { readonly status: 'fenced' }
  /** `signal` was aborted: what was under way left no result and is asked for again next time. */
  | { readonly status: 'interrupted'; readonly state: State }

export interface OutsideRound {
  readonly parts: Parts
  readonly claim: Claim
  readonly signal: AbortSignal
  /** Changes the wish for an effect before it is performed. Default: as the loop wants it. */
  readonly adjusted?: (effect: Effect, state: State) => Effect
}

/**
 * Takes facts in and does all that the loop wants of us (looks at the workspace, runs checks), until the agent itself is wanted, a
 * person, a timer, or the run is over. The agent is outside: whoever calls this hands it the brief. One effect at a time.
 */
export async function untilWork(round: OutsideRound, known: State | undefined, facts: readonly Fact[]): Promise<Standing> {
  const { parts, claim, signal, adjusted = (effect) => effect } = round
  if (known && !isEnding(known)) await requireKeptWhole(known.config, known.run)
  let last = await appended(round, known, facts)
  if (!last) return { status: 'fenced' }
  const { cwd } = await parts.workspace.open(claim.run, last.state.tree?.snapshot)
  for (;;) {
    const { state, step } = last
    if (signal.aborted) return { status: 'interrupted', state }
    // What is ours to do is done first, also while other agents are out: a bad answer is told at once.
    const effect = step.kind === 'perform' ? step.effects.find(({ kind }) => kind !== 'work') : undefined
    if (step.kind !== 'perform' || (!effect && step.effects.length > 0)) {
      if (state.seq !== known?.seq) await cacheLast(parts, last)
      return { status: 'standing', state, step }
    }
    if (!effect) throw endless(state)
    let isFenced = false
    const post = async (posted: readonly Fact[]): Promise<void> => {
      const result = await appended(round, last?.state, posted)
      if (result) last = result
      else isFenced = true
      if (isFenced) throw FENCED
    }
    await perform(adjusted(effect, state), { parts, state, cwd, signal, post }).catch((error: unknown) => {
      if (error !== FENCED) throw error
    })
    if (isFenced) return { status: 'fenced' }
    if (last.state.seq === state.seq && !signal.aborted) throw endless(state)
  }
}

const FENCED = new Error('The run was taken over.')

function endless({ run }: State): PawlError {
  return new PawlError('core.endless', `Run ${run} asks for the same again and again; this is a defect of its loop.`)
}

/** Appends facts and what follows from them; when others appended first, the conclusions are drawn again. */
async function appended(
  { parts, claim }: OutsideRound,
  known: State | undefined,
  given: readonly Fact[],
): Promise<Advance | undefined> {
  const { store, definition } = parts
  const facts = await redactFacts(given)
  let state = known
  for (;;) {
    const result = advance(definition, claim.run, state, facts)
    if (result.append.length === 0) return result
    const answer = await store.append(claim.run, result.append, { claim, expectedSeq: state?.seq ?? 0 })
    if (answer.status === 'fenced') return undefined
    if (answer.status === 'appended') return result
    state = await catchUp(store, claim.run, state, foldsOf(parts.definition))
  }
}

/** The next process begins from here. */
async function cacheLast({ store }: Parts, { state }: Advance): Promise<void> {
  const [event] = await store.read(state.run, state.seq - 1)
  if (event?.seq === state.seq) await cacheState(store, state, event.hash)
}
