import type { Advance } from '../core/advance.ts'
import type { Fact } from '../core/event.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endedIterations, type Outcome, outcomeOf } from '../core/outcome.ts'
import { isOpen, type State } from '../core/state.ts'
import { type EffectRunner, makeEffectRunner } from './effect-runner.ts'
import { type Delivery, type Inbox, makeInbox } from './inbox.ts'
import { openingFacts } from './opening-facts.ts'
import type { DriveOptions, Parts, Progress } from './parts.ts'
import { alsoFailed, openSession, type Session, type TakenClaim, TakenOver } from './session.ts'
import { withWorkStart } from './work-start.ts'
import { withoutCutSecret } from '../secrets/known-values.ts'
import { redactText } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'

/** What driving a run came to: where it is now, or who else is driving it. */
export type DriveResult = Outcome | Held

export interface Held {
  readonly status: 'held'
  readonly run: string
  /** `undefined` if the run was taken over while it was driven. */
  readonly holder: ProcessIdentity | undefined
}

/**
 * Drives a run until it ends, waits or is paused. A known id is resumed, an unknown one is started: there is no second way in. It is a
 * session plus one loop: ask what is next, perform, take in what came of it.
 */
export async function drive(given: Parts, run: string, options: WorkerDriveOptions = {}): Promise<DriveResult> {
  const parts = options.mayUndo === undefined ? given : { ...given, mayUndo: options.mayUndo }
  const inbox = makeInbox()
  // The caller gets the error, so the pause that follows it isn't news.
  let onEvent = options.onEvent
  const session = await openSession(parts, run, {
    ...(onEvent ? { onEvent: (event) => onEvent?.(event) } : {}),
    ...(options.taken ? { taken: options.taken } : {}),
    onRenewal: (error) => (error === undefined ? inbox.wake() : inbox.fail(error)),
  })
  if (session.status === 'held') return session
  const watch = watchOthers(inbox, options)
  const progress = options.onProgress && cleanProgress(options.onProgress, inbox.fail)
  const runner = makeEffectRunner(parts, run, inbox, progress?.onProgress)
  let first: { readonly error: unknown } | undefined
  try {
    return await performAll({ parts, session, options, inbox, runner, watch })
  } catch (error) {
    if (error instanceof TakenOver) return { status: 'held', run, holder: undefined }
    first = { error }
    onEvent = undefined
    await pauseBecause(parts, session, error)
    throw error
  } finally {
    watch.stop()
    inbox.close()
    runner.stop()
    await runner.settled()
    progress?.end()
    await closed(session, first)
  }
}

/** What a worker says besides. */
export interface WorkerDriveOptions extends DriveOptions {
  /** The run's claim, taken from the queue. Default: the run is claimed here. */
  readonly taken?: TakenClaim
}

/** Everything at hand while a run is driven. */
interface Driving {
  readonly parts: Parts
  readonly session: Session
  readonly options: WorkerDriveOptions
  readonly inbox: Inbox
  readonly runner: EffectRunner
  readonly watch: OthersWatch
  /** Whether as many iterations ended here as were asked for. */
  readonly isEnough: (state: State) => boolean
}

/** Most callers drive a run as far as it goes. */
function untilEnough(before: State | undefined, { iterationsMax }: DriveOptions): (state: State) => boolean {
  if (iterationsMax === undefined) return () => false
  const last = (before ? endedIterations(before) : 0) + iterationsMax
  return (state) => endedIterations(state) >= last
}

async function performAll(given: Omit<Driving, 'isEnough'>): Promise<DriveResult> {
  const { parts, session, options, inbox, runner, watch } = given
  const driving: Driving = { ...given, isEnough: untilEnough(session.state(), options) }
  const before = { lastSeenAt: session.lastSeenAt, answer: options.answer }
  let deliveries: readonly Delivery[] = [unawaited(await openingFacts(parts, session.run, session.state(), before))]
  for (let isTakenUp = false; ; isTakenUp = true) {
    const result = await takeIn(driving, deliveries)
    const { state } = result
    if (!isTakenUp) await options.onTakenUp?.()
    const isOver = isNothingLeft(result, driving)
    const isPausing = !isOver && state.status === 'running' && isInterrupted(options)
    if (isOver && runner.isIdle()) return outcomeOf(state)
    if (isPausing && runner.isIdle() && !isSettling(result)) {
      deliveries = [unawaited([pausedFact(parts, 'Interrupted.')])]
      continue
    }
    // What is under way is ended before what it left is settled: it may still write.
    if ((isOver || isPausing || isLeftAlone(result, driving)) && !runner.isIdle()) runner.stop()
    else runner.begin(result.step, state)
    deliveries = await inbox.take()
    if (watch.isDue()) await session.catchUp()
  }
}

/** Takes deliveries in, all of them together. Whoever waits for one to be durable learns what became of it. */
async function takeIn({ parts, session, options, runner, isEnough }: Driving, deliveries: readonly Delivery[]): Promise<Advance> {
  try {
    const result = await session.take(parts.definition, factsIn(deliveries), {
      withStart: (concluded) =>
        isInterrupted(options) || isEnough(concluded.state)
          ? concluded
          : withWorkStart(parts, concluded, (key) => runner.isUnderWay(key)),
    })
    for (const delivery of deliveries) delivery.accept()
    return result
  } catch (error) {
    for (const delivery of deliveries) delivery.refuse(error)
    throw error
  }
}

/** Most come alone. */
function factsIn(deliveries: readonly Delivery[]): readonly Fact[] {
  const [only] = deliveries
  return only && deliveries.length === 1 ? only.facts : deliveries.flatMap((delivery) => delivery.facts)
}

function unawaited(facts: readonly Fact[]): Delivery {
  return { facts, accept: () => undefined, refuse: () => undefined }
}

/** The run ended, or it waits for someone or for a time that nobody here waits for, or did as much as was asked for. A question is left open, never paused: the run is stopped already. */
function isNothingLeft({ step, state }: Advance, driving: Driving): boolean {
  if (step.kind === 'end') return true
  if (step.kind !== 'wait') return driving.isEnough(state) && !isSettling({ step, state })
  if (step.for !== 'timer') return isNobodyThere(driving)
  const { parts, options } = driving
  return options.leavesTimers === true && (step.until ?? 0) - parts.clock.now() > WAITED_HERE_MS
}

/** So short a wait isn't worth leaving, and machines' clocks may differ by as much. */
const WAITED_HERE_MS = 10_000

/** Whether a question is open that nobody here answers, while the agents' edits are not settled yet. */
function isLeftAlone({ step, state }: Advance, driving: Driving): boolean {
  return step.kind === 'perform' && state.question !== undefined && state.answer === undefined && isNobodyThere(driving)
}

function isNobodyThere({ parts, options, runner }: Driving): boolean {
  return parts.person === undefined || runner.isLeft() || isInterrupted(options)
}

function isInterrupted({ signal }: DriveOptions): boolean {
  return signal?.aborted ?? false
}

/**
 * Half-done work is undone, and finished work looked at, before the run rests: what is found changed afterwards is then known to be
 * a person's. Work whose start is on record has to begin, or nothing would say that it is not under way.
 */
function isSettling({ step, state }: Pick<Advance, 'step' | 'state'>): boolean {
  if (step.kind !== 'perform') return false
  return step.effects.some((effect) => {
    if (effect.kind === 'work') return isOpen(state, effect.key)
    return effect.kind === 'restore' || (effect.kind === 'observe' && effect.by === 'agent')
  })
}

function pausedFact({ clock }: Parts, reason: string): Fact {
  return { type: 'run.paused', at: clock.now(), by: { role: 'runner' }, data: { reason } }
}

/** The run stays where it is and says why. If not even that can be written, the first error is the one to report. */
async function pauseBecause(parts: Parts, session: Session, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  try {
    await session.catchUp()
    await session.record((state) => (state?.status === 'running' ? [pausedFact(parts, reason)] : []))
  } catch (second) {
    alsoFailed(error, second)
  }
}

/** Gives the run up. A failure to do so must not hide what went wrong before. */
async function closed(session: Session, first: { readonly error: unknown } | undefined): Promise<void> {
  try {
    await session.close()
  } catch (second) {
    if (!first) throw second
    alsoFailed(first.error, second)
  }
}

/** Wakes the loop when it is to be paused, and now and then to see what other processes have appended. */
interface OthersWatch {
  /** Whether enough time went by since the last look; asking is looking. */
  isDue(): boolean
  stop(): void
}

function watchOthers(inbox: Inbox, { signal, pollMs = POLL_MS }: DriveOptions): OthersWatch {
  let isDue = false
  const poll = setInterval(() => {
    isDue = true
    inbox.wake()
  }, pollMs)
  signal?.addEventListener('abort', inbox.wake)
  return {
    isDue: () => {
      const wasDue = isDue
      isDue = false
      return wasDue
    },
    stop: () => {
      clearInterval(poll)
      signal?.removeEventListener('abort', inbox.wake)
    },
  }
}

const POLL_MS = 250

/** Tells what is happening now, until it is ended. */
export interface CleanProgress {
  readonly onProgress: (progress: Progress) => void
  /** Reports nothing more, not even a line that is still being scanned. */
  end(): void
}

/**
 * Reports what is happening now without secrets. A line that may have one takes a moment to scan; it is reported only if none came
 * after it. What `tell` throws is handed to `fail`: a driver could do nothing about it, and may tell from a place that catches nothing.
 */
function cleanProgress(tell: (progress: Progress) => void, fail: (error: unknown) => void): CleanProgress {
  let latest = 0
  let isEnded = false
  const tellCleaned = async (progress: Progress, mine: number): Promise<void> => {
    const line = await redactText(progress.line)
    if (mine === latest && !isEnded) tell({ ...progress, line })
  }
  return {
    onProgress: (progress) => {
      try {
        const line = withoutCutSecret(progress.line)
        const mine = ++latest
        if (hasSecretHint(line)) tellCleaned({ ...progress, line }, mine).catch(fail)
        else if (!isEnded) tell({ ...progress, line })
      } catch (error) {
        fail(error)
      }
    },
    end: () => {
      isEnded = true
    },
  }
}
