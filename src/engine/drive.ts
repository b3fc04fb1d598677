import { advance, type Advance } from '../core/advance.ts'
import type { Event, Fact } from '../core/event.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import { foldsOf } from '../core/definition.ts'
import { evolveAllWith } from '../core/evolve.ts'
import type { Outcome } from '../core/outcome.ts'
import { outcomeOf } from '../core/outcome-of.ts'
import { isOpen, type State } from '../core/state.ts'
import { redactFact, redactFacts } from '../secrets/filter.ts'
import type { Claim } from '../stores/store.ts'
import { cleanProgress } from './clean-progress.ts'
import { hands, type Hands } from './hands.ts'
import { cacheState, loadState } from './load-state.ts'
import { type Letter, type Mailbox, mailbox } from './mailbox.ts'
import { openingFacts } from './opening-facts.ts'
import { outsideWatch, type OutsideWatch } from './outside-watch.ts'
import type { DriveOptions, Parts } from './parts.ts'
import { withWorkStart } from './work-start.ts'

/** What driving a run came to: where it stands, or who else is driving it. */
export type DriveResult = Outcome | Held

export interface Held {
  readonly status: 'held'
  readonly run: string
  readonly holder: ProcessIdentity | undefined
}

/**
 * Drives a run until it ends, waits or is paused. A known id is resumed, an unknown one is started: there is no second way in. The
 * whole of it is one loop: fold, ask what is next, perform, append.
 */
export async function drive(parts: Parts, run: string, options: DriveOptions = {}): Promise<DriveResult> {
  const claimed = await parts.store.claim(run, parts.processes.self())
  if (claimed.status === 'held') return { status: 'held', run, holder: claimed.holder }
  const { claim, leaseMs = Infinity } = claimed
  const mail = mailbox()
  const heartbeatMs = Math.min(HEARTBEAT_MS, Math.ceil(leaseMs / HEARTBEATS_PER_LEASE))
  const heartbeat = setInterval(() => void keepClaim(parts, claim, mail), heartbeatMs)
  heartbeat.unref()
  const watch = outsideWatch(mail, options)
  const progress = options.onProgress && cleanProgress(options.onProgress, mail.fail)
  const busy = hands(parts, run, mail, progress?.onProgress)
  let first: { readonly error: unknown } | undefined
  try {
    return await goRound({ parts, claim, options, mail, busy, watch }, claimed)
  } catch (error) {
    if (error === TAKEN_OVER) return { status: 'held', run, holder: undefined }
    first = { error }
    await pauseBecause(parts, claim, error)
    throw error
  } finally {
    clearInterval(heartbeat)
    watch.stop()
    mail.close()
    busy.stop()
    await busy.settled()
    progress?.end()
    await released(parts, claim, first)
  }
}

const HEARTBEAT_MS = 10_000

/** One that comes late, or is lost, does not lose the run. */
const HEARTBEATS_PER_LEASE = 4

const TAKEN_OVER = new Error('The run was taken over.')

/** Iterations between two cached states: rare enough to cost nothing, often enough that resuming never reads far back. */
const ITERATIONS_PER_SNAPSHOT = 64

interface Seat {
  readonly parts: Parts
  readonly claim: Claim
  readonly options: DriveOptions
  readonly mail: Mailbox
  readonly busy: Hands
  readonly watch: OutsideWatch
}

async function goRound(seat: Seat, before: { readonly lastSeenAt?: number }): Promise<DriveResult> {
  const { parts, claim, options, mail, busy, watch } = seat
  const { run } = claim
  let state = await loadState(parts.store, run, foldsOf(parts.definition))
  let letters: readonly Letter[] = [unawaited(await openingFacts(parts, run, state, { ...before, answer: options.answer }))]
  for (let isTakenUp = false; ; isTakenUp = true) {
    const result = await appended(seat, state, letters)
    ;({ state } = result)
    if (!isTakenUp) await options.onTakenUp?.()
    const isOver = isNothingLeft(result, seat)
    const isPausing = !isOver && state.status === 'running' && isInterrupted(options)
    if (isOver && busy.isIdle()) return outcomeOf(state)
    if (isPausing && busy.isIdle() && !isSettling(result)) {
      letters = [
        unawaited([{ type: 'run.paused', at: parts.clock.now(), by: { role: 'runner' }, data: { reason: 'Interrupted.' } }]),
      ]
      continue
    }
    // What is under way is ended before what it left is settled: it may still write.
    if ((isOver || isPausing || isLeftAlone(result, seat)) && !busy.isIdle()) busy.stop()
    else busy.begin(result.step, state)
    letters = await mail.take()
    if (watch.isDue()) state = await caughtUp(seat, state)
  }
}

/** The run ended, or it waits for someone who is not here. A question is left open, never paused: it stands still already. */
function isNothingLeft({ step }: Advance, seat: Seat): boolean {
  if (step.kind === 'end') return true
  return step.kind === 'wait' && step.for !== 'timer' && isNobodyThere(seat)
}

/** Whether a question stands that nobody here answers, while what agents left is not settled yet. */
function isLeftAlone({ step, state }: Advance, seat: Seat): boolean {
  return step.kind === 'perform' && state.question !== undefined && state.answer === undefined && isNobodyThere(seat)
}

function isNobodyThere({ parts, options, busy }: Seat): boolean {
  return parts.person === undefined || busy.isLeft() || isInterrupted(options)
}

function isInterrupted({ signal }: DriveOptions): boolean {
  return signal?.aborted ?? false
}

/**
 * Half-done work is undone, and finished work looked at, before the run rests: what is found changed afterwards is then known to be
 * a person's. Work whose start is on record has to begin, or nothing would say that it is not under way.
 */
function isSettling({ step, state }: Advance): boolean {
  if (step.kind !== 'perform') return false
  return step.effects.some((effect) => {
    if (effect.kind === 'work') return isOpen(state, effect.key)
    return effect.kind === 'restore' || (effect.kind === 'observe' && effect.by === 'agent')
  })
}

/**
 * Appends facts and what follows from them. When others appended first, the facts stand and the conclusions are drawn again. Whoever waits
 * for a letter to be durable learns what became of it.
 */
async function appended(seat: Seat, known: State | undefined, letters: readonly Letter[]): Promise<Advance> {
  const { parts, claim, options, busy } = seat
  const { store, definition } = parts
  const { run } = claim
  try {
    const redacting = redactFacts(factsIn(letters))
    const facts = redacting instanceof Promise ? await redacting : redacting
    for (let state = known; ;) {
      const concluded = advance(definition, run, state, facts)
      const starting = isInterrupted(options) ? concluded : withWorkStart(parts, concluded, (key) => busy.isUnderWay(key))
      const result = starting instanceof Promise ? await starting : starting
      if (result.append.length > 0) {
        const answer = await store.append(run, result.append, { claim, expectedSeq: state?.seq ?? 0 })
        if (answer.status === 'fenced') throw TAKEN_OVER
        if (answer.status === 'conflict') {
          state = await caughtUp(seat, state)
          continue
        }
        // Looked at only where someone listens: reading events back is not free.
        if (options.onEvent) for (const event of answer.events) options.onEvent(event)
        if (isWorthCaching(result)) await cacheState(store, result.state, answer.events.at(-1)?.hash ?? '')
      }
      for (const letter of letters) letter.durable()
      return result
    }
  } catch (error) {
    for (const letter of letters) letter.refused(error)
    throw error
  }
}

/** Most come alone. */
function factsIn(letters: readonly Letter[]): readonly Fact[] {
  const [only] = letters
  return only && letters.length === 1 ? only.facts : letters.flatMap((letter) => letter.facts)
}

/** Takes in what others have appended since, and tells of it as of our own facts. */
async function caughtUp({ parts, claim, options }: Seat, state: State | undefined): Promise<State | undefined> {
  const events = await parts.store.read(claim.run, state?.seq ?? 0)
  if (options.onEvent) for (const event of events) options.onEvent(event)
  return evolveAllWith(foldsOf(parts.definition), state, events)
}

function isWorthCaching({ append, step }: Advance): boolean {
  if (step.kind === 'end') return true
  return append.some((event: Event) => event.type === 'iteration.ended' && event.data.iteration % ITERATIONS_PER_SNAPSHOT === 0)
}

function unawaited(facts: readonly Fact[]): Letter {
  return { facts, durable: () => undefined, refused: () => undefined }
}

async function keepClaim({ store }: Parts, claim: Claim, mail: Mailbox): Promise<void> {
  try {
    // A holder that was taken over while it slept must not work on: its agent would spoil the other's.
    if (await store.renew(claim)) mail.wake()
    else mail.fail(TAKEN_OVER)
  } catch (error) {
    mail.fail(error)
  }
}

/** The run stays where it is and says why. Where not even that can be written, the first error is the one to tell. */
async function pauseBecause({ store, clock }: Parts, claim: Claim, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  try {
    const state = await loadState(store, claim.run)
    if (state?.status !== 'running') return
    const paused: Fact = { type: 'run.paused', at: clock.now(), by: { role: 'runner' }, data: { reason } }
    await store.append(claim.run, [await redactFact(paused)], { claim, expectedSeq: state.seq })
  } catch (second) {
    alsoFailed(error, second)
  }
}

/** Gives the run up. What went wrong before that is told first: a failure to give it up must not hide it. */
async function released({ store }: Parts, claim: Claim, first: { readonly error: unknown } | undefined): Promise<void> {
  try {
    await store.release(claim)
  } catch (second) {
    if (!first) throw second
    alsoFailed(first.error, second)
  }
}

function alsoFailed(first: unknown, second: unknown): void {
  if (first instanceof Error && first.cause === undefined) first.cause = second
}
