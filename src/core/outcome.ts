import type { BestIteration, RunStatus, State } from './state.ts'
import type { Instant } from './event.ts'
import type { Question } from './question.ts'
import { type Spent, spentOf, totalsSoFar } from './spending.ts'
import type { Trip } from './trip.ts'
import { PawlError } from './pawl-error.ts'

/** A run's state, and why. Its `status` says whether there is a question: an `escalated` or `stopped` run has one. */
export type Outcome = EscalatedOutcome | StoppedOutcome | QuietOutcome

/** A run that is stopped until a person answers. */
export interface EscalatedOutcome extends OutcomeFigures {
  readonly status: 'escalated'
  readonly question: Question
}

/** A run that ended at a limit; a person may let it continue. */
export interface StoppedOutcome extends OutcomeFigures {
  readonly status: 'stopped'
  readonly question: Question
}

/** Any other run. */
export interface QuietOutcome extends OutcomeFigures {
  readonly status: Exclude<RunStatus, 'escalated' | 'stopped'>
  readonly question?: never
  /** When a run that waits for a provider tries again. */
  readonly until?: Instant
}

interface OutcomeFigures extends Spent {
  readonly run: string
  readonly message: string
  readonly iterations: number
  readonly trips: readonly Trip[]
  readonly best?: BestIteration
}

/** The run's state now. A run that waits for a provider is `waiting`. */
export function outcomeOf(state: State): Outcome {
  const { run, question, best, message, timer } = state
  const status = state.status === 'running' && timer ? 'waiting' : state.status
  const figures = {
    message,
    iterations: endedIterations(state),
    ...spentOf(totalsSoFar(state)),
    trips: question?.trips ?? [],
  }
  const known = {
    ...(best === undefined ? {} : { best }),
    ...(status === 'waiting' && timer ? { until: timer.until } : {}),
  }
  if (status !== 'escalated' && status !== 'stopped') return { run, status, ...figures, ...known }
  if (!question) throw new PawlError('core.no-question', `Run ${run} is ${status} without a question; this is a defect of Pawl.`)
  return { run, status, ...figures, question: question.question, ...known }
}

/** How many iterations of a run are over. */
export function endedIterations({ current }: Pick<State, 'current'>): number {
  return current.ended ? current.number : Math.max(0, current.number - 1)
}

/** Whether nothing of a run's parts is started any more: it is over, or a person's answer ends it. */
export function isEnding({ status, answer }: Pick<State, 'status' | 'answer'>): boolean {
  return isOver({ status }) || answer?.kind === 'abort' || answer?.kind === 'accept'
}

/** Whether a run is over for good: nothing can continue it. */
export function isOver({ status }: Pick<State, 'status'>): boolean {
  return status === 'completed' || status === 'aborted'
}

/** The session of an agent that a run belongs to. */
export type Bound = Pick<NonNullable<State['bound']>, 'agent' | 'session'>

/** "session 5f0e of claude". */
export function sessionWords({ agent, session }: Bound): string {
  return `session ${session} of ${agent}`
}

/** The session that continues the run; none if it is bound to nobody or over. */
export function boundNow({ bound, status }: Pick<State, 'bound' | 'status'>): Bound | undefined {
  return isOver({ status }) ? undefined : bound
}
