import { setTimeout as sleep } from 'node:timers/promises'
import { advance, type Advance, record } from '../core/advance.ts'
import { type Definition, type Folds, foldsOf } from '../core/definition.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Event, Fact } from '../core/event.ts'
import { evolveAllWith } from '../core/evolve.ts'
import type { Json } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import { type State, STATE_VERSION } from '../core/state.ts'
import { steadyMs } from '../process/clock.ts'
import type { Processes } from '../process/processes.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { keepVisible } from '../secrets/known-values.ts'
import type { AppendResult, ClaimResult, SealedEvent, Store } from '../stores/store.ts'

/**
 * The right to write to one run, from the claim until `close`: the only place that claims, renews, loads, appends and caches. Everything
 * that drives a run uses one, the CLI, hooks, MCP tools and the library alike.
 */
export interface Session {
  readonly status: 'open'
  readonly run: string
  /** When a former holder that is gone was last seen; absent if nobody was taken over. */
  readonly lastSeenAt?: number
  /** Aborted once another process has taken the run over. */
  readonly lost: AbortSignal
  /** The state as this session knows it; `undefined` for a run that has not begun. */
  state(): State | undefined
  /** Appends facts and what follows from them. If others appended first, the conclusions are drawn again from what they wrote. */
  take(definition: Definition, facts: readonly Fact[], options?: TakeOptions): Promise<Advance>
  /** Appends facts and concludes nothing. If others appended first, `decide` is asked again. */
  record(decide: (state: State | undefined) => readonly Fact[] | Promise<readonly Fact[]>): Promise<void>
  /** Reads what others, people for the most part, have appended since. */
  catchUp(): Promise<State | undefined>
  /** Caches the state if that is worth it, and releases the run. */
  close(): Promise<void>
}

/** Another process has the run. */
export interface HeldRun {
  readonly status: 'held'
  readonly run: string
  readonly holder: ProcessIdentity
}

/** What a session needs of the parts of a run. */
export interface SessionParts {
  readonly store: Store
  readonly processes: Processes
  /** Knows the fold of the run's loop. Without it and without `folds` the state has no slices, and it is not cached. */
  readonly definition?: Definition
  /** The same for a caller without a definition. */
  readonly folds?: Folds
}

/** A claim that was made together with taking the run from the queue, and how the run gets back there. */
export interface TakenClaim {
  readonly claimed: Claimed
  /** Called in place of releasing the claim, with the last state that is known. Must release it. */
  readonly giveBack: (state: State | undefined) => Promise<unknown>
}

export interface SessionOptions {
  /** The run is claimed already. Default: the session claims it. */
  readonly taken?: TakenClaim | undefined
  /** How long to ask again while another process holds the run: hooks and MCP calls do for moments. Default 0. */
  readonly waitMsMax?: number
  /** The state as this process saw it last: only newer events are read. Default: it is loaded. */
  readonly known?: State | undefined
  /** Called with every event once it is durable, also those of others. */
  readonly onEvent?: ((event: SealedEvent) => void) | undefined
  /** Called after every renewal of the claim, with the error if it failed. */
  readonly onRenewal?: (error?: unknown) => void
}

export interface TakeOptions {
  /** Takes the facts in but doesn't end the iteration yet. Default false. */
  readonly hold?: boolean
  /** Adds the start of work that the step asks for, so that both are durable together (`withWorkStart`). Default: nothing. */
  readonly withStart?: (result: Advance) => Advance | Promise<Advance>
}

/**
 * Claims a run and loads its state. `held` if another process has it and keeps it for longer than `waitMsMax`. Whoever opens a session
 * closes it, whatever happens in between.
 *
 * @example
 * const session = await openSession(parts, 'fix-login')
 * if (session.status === 'held') throw heldError(session)
 * try {
 *   const { step } = await session.take(parts.definition, facts)
 * } finally {
 *   await session.close()
 * }
 */
export async function openSession(parts: SessionParts, run: string, options: SessionOptions = {}): Promise<Session | HeldRun> {
  const { taken } = options
  const claimed = taken?.claimed ?? (await claimWithin(parts, run, options.waitMsMax ?? 0))
  if (claimed.status === 'held') return { status: 'held', run, holder: claimed.holder }
  try {
    const folds = parts.folds ?? (parts.definition && foldsOf(parts.definition))
    const state = await presentState(parts.store, run, options.known, folds)
    return sessionOn(parts.store, claimed, state, { ...options, folds })
  } catch (error) {
    const given = taken ? taken.giveBack(undefined) : parts.store.release(claimed.claim)
    await given.catch((second: unknown) => alsoFailed(error, second))
    throw error
  }
}

/** Opens a session, lets `use` work with it and closes it. Throws `run.held` while another process has the run. */
export async function withSession<Result>(
  parts: SessionParts,
  run: string,
  use: (session: Session) => Promise<Result>,
  options?: SessionOptions,
): Promise<Result> {
  const session = await openSession(parts, run, options)
  if (session.status === 'held') throw heldError(session)
  let result: Result
  try {
    result = await use(session)
  } catch (error) {
    await session.close().catch((second: unknown) => alsoFailed(error, second))
    throw error
  }
  await session.close()
  return result
}

/** That another process has the run, as an error with the way out. */
export function heldError({ run, holder }: HeldRun): PawlError {
  const message = `Run ${run} is driven by process ${holder.pid} on ${holder.host}: wait until it is done, or end it (Ctrl-C pauses it), then try again.`
  return new PawlError('run.held', message, { value: run })
}

/** Thrown by a session whose run another process has taken over: nothing more can be written under it. */
export class TakenOver extends PawlError {
  constructor(run: string) {
    super('run.held', `Run ${run} was taken over by another process: wait until it is done, then try again.`, { value: run })
  }
}

/** Keeps a second failure with the first, which is the one to report. */
export function alsoFailed(first: unknown, second: unknown): void {
  if (first instanceof Error && first.cause === undefined) first.cause = second
}

/** Appends what a person says. It needs no claim: anyone may at any time, also while another process drives the run. */
export async function recordByPerson(store: Store, run: string, facts: readonly Fact[]): Promise<void> {
  const result = await store.append(run, await redactFacts(facts))
  if (result.status !== 'appended') throw new PawlError('store.refused', `Run ${run} did not take ${facts[0]?.type}; try again.`)
}

/** The same for what a person says about the state as it is. If someone appended first, `decide` is asked again. */
export async function decideByPerson(
  store: Store,
  state: State,
  decide: (present: State) => readonly Fact[] | Promise<readonly Fact[]>,
): Promise<void> {
  for (let present = state; ;) {
    const facts = await redactFacts(await decide(present))
    const { status } = await store.append(state.run, facts, { expectedSeq: present.seq })
    if (status === 'appended') return
    present = (await presentState(store, state.run, present)) ?? present
  }
}

/**
 * The state of a run as its journal says; `undefined` if there is no such run. `folds` finds the fold of the run's loop; without it
 * the state may have no slices, which is enough for a caller that asks nothing of the loop.
 */
export async function loadState(store: Store, run: string, folds: Folds = noFolds): Promise<State | undefined> {
  const state = await readState(store, run, folds)
  // Whoever writes to a run looks here first, and snapshots are called after it. The name of no run may be any word, a secret too.
  if (state) keepVisible(run)
  return state
}

/** The same, from a state that was seen before if any: only newer events are read. */
export async function presentState(
  store: Store,
  run: string,
  known: State | undefined,
  folds: Folds = noFolds,
): Promise<State | undefined> {
  return known ? evolveAllWith(folds, known, await store.read(run, known.seq)) : loadState(store, run, folds)
}

/** From the cached state if that still fits, else from the beginning. */
async function readState(store: Store, run: string, folds: Folds): Promise<State | undefined> {
  const snapshot = await store.getSnapshot(run)
  if (snapshot && !snapshot.isDamaged && snapshot.version === STATE_VERSION) {
    const [last, ...newer] = await store.read(run, snapshot.seq - 1)
    const isSame = last?.seq === snapshot.seq && last.hash === snapshot.hash
    const state = snapshot.state as unknown as State
    // One that was folded without the loop says too little for a caller that has it.
    const isWhole = state.slices !== undefined || folds(state.config.loop) === undefined
    if (isSame && isWhole) return evolveAllWith(folds, state, newer)
  }
  return evolveAllWith(folds, undefined, await store.read(run))
}

const noFolds: Folds = () => undefined

/** Caches the state after the event with this hash, so that the next process starts quickly. Sessions do this on their own. */
export async function cacheState(store: Store, state: State, hash: string): Promise<void> {
  await store.putSnapshot(state.run, { seq: state.seq, hash, version: STATE_VERSION, state: state as unknown as Json })
}

type Claimed = Extract<ClaimResult, { status: 'claimed' }>

async function claimWithin({ store, processes }: SessionParts, run: string, waitMsMax: number): Promise<ClaimResult> {
  const self = processes.self()
  const giveUpAt = steadyMs() + waitMsMax
  for (;;) {
    const result = await store.claim(run, self)
    if (result.status === 'claimed' || steadyMs() >= giveUpAt) return result
    await sleep(CLAIM_PAUSE_MS)
  }
}

const CLAIM_PAUSE_MS = 20

interface OpenOptions extends SessionOptions {
  readonly folds: Folds | undefined
}

function sessionOn(store: Store, claimed: Claimed, before: State | undefined, options: OpenOptions): Session {
  const { claim, leaseMs = Infinity, lastSeenAt } = claimed
  const { run } = claim
  const { onEvent, onRenewal, folds, taken } = options
  const lost = new AbortController()
  const openedSeq = before?.seq ?? 0
  let state = before
  /** Gives the hash of the newest event; reading it back is not free, and most of them are never asked for. */
  let newestHash: (() => string | undefined) | undefined
  let isClosed = false

  const lose = (): TakenOver => {
    lost.abort()
    return new TakenOver(run)
  }

  const renew = async (): Promise<void> => {
    try {
      // A holder that was taken over while it slept must not work on: its agent would spoil the other's work.
      if (await store.renew(claim)) onRenewal?.()
      else onRenewal?.(lose())
    } catch (error) {
      onRenewal?.(error)
    }
  }
  const heartbeat = setInterval(
    () => void renew(),
    Math.min(HEARTBEAT_MS_MAX, Math.max(1, Math.ceil(leaseMs / HEARTBEATS_PER_LEASE))),
  )
  heartbeat.unref()

  const cache = async (): Promise<void> => {
    const hash = newestHash?.()
    // A state that was folded without its loop says too little for a caller that has it.
    if (state && folds && hash !== undefined) await cacheState(store, state, hash)
  }

  const catchUp = async (): Promise<State | undefined> => {
    const events = await store.read(run, state?.seq ?? 0)
    if (events.length === 0) return state
    state = evolveAllWith(folds ?? noFolds, state, events)
    newestHash = () => events.at(-1)?.hash
    if (onEvent) for (const event of events) onEvent(event)
    return state
  }

  /** The one place where a conflict is retried: `decide` is asked again with the state as it is then. */
  const append = async <Result extends Decided>(
    decide: (present: State | undefined) => Result | Promise<Result>,
  ): Promise<Result> => {
    for (;;) {
      const deciding = decide(state)
      const result = deciding instanceof Promise ? await deciding : deciding
      if (result.append.length === 0) return result
      const seq = state?.seq ?? 0
      const answer = await store.append(run, result.append, { claim, expectedSeq: seq })
      if (answer.status === 'fenced') throw lose()
      if (answer.status === 'conflict') {
        await catchUp()
        continue
      }
      state = result.state
      newestHash = () => (answer as Extract<AppendResult, { status: 'appended' }>).events.at(-1)?.hash
      // Looked at only if someone listens: reading events back is not free.
      if (onEvent) for (const event of answer.events) onEvent(event)
      if (hasPassed(EVENTS_PER_SNAPSHOT, seq, seq + result.append.length)) await cache()
      return result
    }
  }

  return {
    status: 'open',
    run,
    ...(lastSeenAt === undefined ? {} : { lastSeenAt }),
    lost: lost.signal,
    state: () => state,
    take: async (definition, given, { hold = false, withStart } = {}) => {
      const redacting = redactFacts(given)
      const facts = redacting instanceof Promise ? await redacting : redacting
      return append((present) => {
        const result = advance(definition, run, present, facts, { hold })
        return withStart ? withStart(result) : result
      })
    },
    record: async (decide) => {
      await append(async (present) => record(folds ?? noFolds, run, present, await redactFacts(await decide(present))))
    },
    catchUp,
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearInterval(heartbeat)
      try {
        if (!lost.signal.aborted && isWorthCaching(openedSeq, state)) await cache()
      } finally {
        await (taken ? taken.giveBack(state) : store.release(claim))
      }
    },
  }
}

interface Decided {
  readonly append: readonly Event[]
  readonly state: State | undefined
}

const HEARTBEAT_MS_MAX = 10_000

/** One that comes late, or is lost, does not lose the run. */
const HEARTBEATS_PER_LEASE = 4

/** Events between two cached states of one session: rare enough to cost nothing. */
const EVENTS_PER_SNAPSHOT = 512

/** Events that a process which opens the run next may have to read, where sessions are as short as a hook. */
const EVENTS_READ_MAX = 32

/** At the end of a session the cache is written for the next one: people look at a stopped run, and another session follows a short one. */
function isWorthCaching(openedSeq: number, state: State | undefined): boolean {
  if (!state || state.seq === openedSeq) return false
  return state.status !== 'running' || hasPassed(EVENTS_READ_MAX, openedSeq, state.seq)
}

function hasPassed(step: number, before: number, after: number): boolean {
  return Math.floor(after / step) > Math.floor(before / step)
}
