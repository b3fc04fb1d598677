import { builtInFolds } from '../../loops/evolve.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { advance, type Advance } from '../../core/advance.ts'
import type { Event, Fact } from '../../core/event.ts'
import { evolveAll } from '../../loops/evolve.ts'
import { isEnding } from '../../core/is-ending.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { keepVisible } from '../../secrets/known-values.ts'
import { redactFacts, requireKeptWhole } from '../../secrets/filter.ts'
import type { Claim } from '../../stores/store.ts'
import { endOpenEffects } from '../../engine/end-orphans.ts'
import { cacheState, loadState } from '../../engine/load-state.ts'
import type { Parts } from '../../engine/parts.ts'
import { withWorkStart } from '../../engine/work-start.ts'
import type { Workshop } from './workshop.ts'

/** `hold` takes facts in but leaves the iteration open, so that guards judge it when the agent asks for the next one. */
export type Mode = 'hold' | 'conclude'

/** The right to write to a run for as long as one call takes. */
export interface Seat {
  readonly run: string
  readonly parts: Parts
  /** Aborted when the caller no longer waits or the server closes. */
  readonly signal: AbortSignal
  state(): State
  /** What the outside has to do now; `hold` if only the end of the iteration is left out. */
  take(facts: readonly Fact[], mode: Mode): Promise<Taken>
}

export interface Taken {
  readonly events: readonly Event[]
  readonly step: Advance['step']
}

export interface SeatRequest {
  readonly run: string
  readonly signal: AbortSignal
  /** For a run that begins. */
  readonly config?: RunConfig
}

/**
 * Claims the run, lets `use` write to it and gives it back, which the caller need not wait for. Another holder is waited for briefly,
 * then named in the error.
 */
export async function withSeat<Result>(
  workshop: Workshop,
  { run, signal, config }: SeatRequest,
  use: (seat: Seat) => Promise<Result>,
): Promise<Result> {
  let holding: { readonly claim: Claim; readonly heartbeat: NodeJS.Timeout } | undefined
  const work = async (): Promise<Result> => {
    const known = await presentState(workshop, run)
    if (!known && !config) throw unknownRun(run)
    if (!known) keepVisible(run)
    const present = known?.config ?? (config as RunConfig)
    if (!known || !isEnding(known)) await requireKeptWhole(present, known?.run)
    const parts = await workshop.partsFor(present)
    const { claim, leaseMs = Infinity } = await claimed(parts, run)
    const renew = (): void => void parts.store.renew(claim).catch(ignoreLate)
    holding = { claim, heartbeat: setInterval(renew, Math.min(10_000, leaseMs / 4)) }
    const state = await presentState(workshop, run)
    if (state?.current.effects.some((effect) => effect.status === 'open' && effect.process))
      await endOpenEffects(parts.processes, state)
    return use(seatOn(workshop, parts, claim, state, AbortSignal.any([signal, workshop.closing])))
  }
  return workshop.inTurn(run, work, async () => {
    if (!holding) return
    clearInterval(holding.heartbeat)
    await workshop.store.release(holding.claim)
  })
}

/** The state as the journal has it now; what was seen before need not be read again. */
export async function presentState({ store, seen }: Workshop, run: string): Promise<State | undefined> {
  const before = seen.get(run)
  const state = before ? evolveAll(before, await store.read(run, before.seq)) : await loadState(store, run, builtInFolds)
  if (state) seen.set(run, state)
  return state
}

/** For a run that nobody started. */
export function unknownRun(run: string): PawlError {
  const message = `There is no run "${run}": begin with iteration_start, or look at the names with run_list.`
  return new PawlError('run.unknown', message, { value: run })
}

function seatOn(workshop: Workshop, parts: Parts, claim: Claim, before: State | undefined, signal: AbortSignal): Seat {
  const { run } = claim
  const { store, definition } = parts
  let state = before
  const present = (): State => {
    if (!state) throw unknownRun(run)
    return state
  }
  return {
    run,
    parts,
    signal,
    state: present,
    take: async (given, mode) => {
      const facts = await redactFacts(given)
      for (;;) {
        const isHeld = mode === 'hold'
        const concluded = advance(definition, run, state, facts, { hold: isHeld })
        const { append, step, state: after } = isHeld ? concluded : await withWorkStart(parts, concluded)
        const answer = append.length === 0 ? undefined : await store.append(run, append, { claim, expectedSeq: state?.seq ?? 0 })
        if (answer?.status === 'fenced') throw takenOver(run)
        if (answer?.status === 'conflict') {
          state = evolveAll(state, await store.read(run, state?.seq ?? 0))
          continue
        }
        state = after
        workshop.seen.set(run, after)
        const hash = answer?.events.at(-1)?.hash
        if (hash !== undefined && isWorthCaching(append, step)) await cacheState(store, after, hash)
        return { events: append, step }
      }
    },
  }
}

/** Iterations between two cached states: a server that starts anew then never reads far back. */
const ITERATIONS_PER_SNAPSHOT = 16

function isWorthCaching(events: readonly Event[], step: Taken['step']): boolean {
  if (step.kind === 'end') return true
  return events.some((event) => event.type === 'iteration.started' && event.data.iteration % ITERATIONS_PER_SNAPSHOT === 0)
}

const CLAIM_TRIES_MAX = 20
const CLAIM_PAUSE_MS = 50

async function claimed({ store, processes }: Parts, run: string) {
  for (let tries = 1; ; tries++) {
    const result = await store.claim(run, processes.self())
    if (result.status === 'claimed') return result
    if (tries >= CLAIM_TRIES_MAX) {
      const { pid, host } = result.holder
      const message = `Run ${run} is being written by process ${pid} on ${host}: wait until its call is over and try again, or end that process.`
      throw new PawlError('run.held', message, { value: run })
    }
    await sleep(CLAIM_PAUSE_MS)
  }
}

function takenOver(run: string): PawlError {
  return new PawlError('run.held', `Run ${run} was taken over by another process during this call: call again.`, { value: run })
}

/** A renewal that fails shows itself at the next append, which then is refused. */
function ignoreLate(): void {}
