import { defined } from '../core/defined.ts'
import type { DecisionAction } from '../core/event-data.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import { isOver } from '../core/outcome.ts'
import type { State } from '../core/state.ts'
import { stopCard, type StopCard } from './card.ts'
import { type GuardView, guardViews } from './guard-view.ts'
import type { IterationView } from './iteration-view.ts'
import { LedgerFold } from './ledger-grid.ts'
import { type RunFold, runFold } from './run-fold.ts'
import { type RunView, viewOf } from './run-view.ts'

/** A run as a page shows it: what `pawl show --json` has, with its iterations in short. */
export interface RunDetail extends Omit<RunView, 'iterations' | 'decisions'> {
  /** All of them, the first one first. `GET …/iterations/N` has the rest. */
  readonly iterations: readonly IterationShort[]
  /** Times of more than five minutes in which nobody worked. */
  readonly gaps: readonly Gap[]
  readonly guards: readonly GuardView[]
  /** Why it is stopped; absent for a run that is working or done. */
  readonly card?: StopCard
  /** What to type in a terminal. */
  readonly commands: readonly CommandView[]
}

/** One iteration, as far as a chart and a list need it. What isn't known isn't there. */
export interface IterationShort extends Pick<
  IterationView,
  | 'iteration'
  | 'seq'
  | 'task'
  | 'attempt'
  | 'failingBefore'
  | 'filesChanged'
  | 'durationMs'
  | 'costUsd'
  | 'isCostPartial'
  | 'tokens'
> {
  readonly startedAt: Instant
  readonly endedAt?: Instant
  readonly passed?: boolean
  readonly failing?: number
  readonly score?: number
  readonly action?: DecisionAction
  readonly agent?: string
}

export interface Gap {
  readonly from: Instant
  readonly to: Instant
  /** After which event. */
  readonly seq: Seq
  readonly why: 'question' | 'provider' | 'paused' | 'nobody'
}

export interface CommandView {
  /** "Answer", "Resume", "Undo". */
  readonly label: string
  readonly command: string
}

/** Everything a page shows of a run, taken in event by event. Keeps no event. */
export class DetailFold {
  readonly run: RunFold = runFold()
  readonly ledger = new LedgerFold()
  readonly #gaps: Gap[] = []
  readonly #startedAt = new Map<number, Instant>()
  readonly #endedAt = new Map<number, Instant>()

  get seq(): Seq {
    return this.run.state?.seq ?? 0
  }

  take(event: Event): void {
    const { state, updatedAt } = this.run
    if (state && event.at - updatedAt > GAP_MS_MIN) {
      const why = whyQuiet(state, event)
      if (why) this.#gaps.push({ from: updatedAt, to: event.at, seq: state.seq, why })
    }
    if (event.type === 'iteration.started') this.#startedAt.set(event.data.iteration, event.at)
    if (event.type === 'iteration.ended') this.#endedAt.set(event.data.iteration, event.at)
    this.ledger.take(event)
    this.run.take(event)
  }

  /** The view of the run as it is now. */
  detail(): RunDetail {
    const view = viewOf(this.run)
    const { iterations, decisions: _each, ...rest } = view
    const { status, run, loop, best, start } = view
    const isStanding = status === 'escalated' || status === 'stopped' || status === 'paused' || status === 'aborted'
    return {
      ...rest,
      asked: rest.asked.slice(-LISTED_MAX),
      people: rest.people.slice(-LISTED_MAX),
      saved: rest.saved.slice(-LISTED_MAX),
      iterations: iterations.map((each) => this.#short(each)),
      gaps: this.#gaps,
      guards: this.run.state ? guardViews(this.run.state) : [],
      ...(isStanding ? { card: stopCard(view) } : {}),
      commands: commandsOf({ run, loop, status, ...defined({ best, start, question: view.question }) }),
    }
  }

  #short({
    verdict,
    workers,
    workSnapshot: _work,
    snapshotBefore: _before,
    snapshot: _after,
    ...view
  }: IterationView): IterationShort {
    const { iteration, seq, task, attempt, failingBefore, filesChanged, durationMs, costUsd, isCostPartial, tokens, action } =
      view
    return {
      iteration,
      seq,
      startedAt: this.#startedAt.get(iteration) ?? 0,
      ...defined({
        endedAt: this.#endedAt.get(iteration),
        task,
        attempt,
        passed: verdict?.passed,
        failing: verdict?.failing,
        score: verdict?.score,
        failingBefore,
        filesChanged,
        durationMs,
        costUsd,
        isCostPartial,
        tokens,
        action,
        agent: workers?.at(-1)?.agent,
      }),
    }
  }
}

const GAP_MS_MIN = 5 * 60_000
const LISTED_MAX = 100

/** An agent or a check that takes its time is no gap. */
function whyQuiet(state: State, next: Event): Gap['why'] | undefined {
  if (state.question) return 'question'
  if (state.timer) return 'provider'
  if (state.status === 'paused') return 'paused'
  return next.type === 'run.resumed' ? 'nobody' : undefined
}

function commandsOf({
  run,
  loop,
  status,
  best,
  start,
  question,
}: Partial<RunView> & Pick<RunView, 'run' | 'status'>): readonly CommandView[] {
  const isAsking = question !== undefined && question.answer === undefined
  const number = question?.options.find(({ recommended }) => recommended)?.number ?? 1
  return [
    ...(isAsking ? [{ label: 'Answer', command: `pawl answer ${run} ${number} --resume` }] : []),
    ...(isAsking || isOver({ status }) ? [] : [{ label: 'Resume', command: `pawl resume ${run}` }]),
    // Research changes no file.
    ...(loop === 'research'
      ? []
      : [
          { label: 'Review', command: `pawl diff ${run} --total` },
          ...(best && best.iteration > 0 ? [{ label: 'Best', command: best.command }] : []),
          ...(start ? [{ label: 'Undo', command: `pawl restore ${run} 0` }] : []),
        ]),
    { label: 'Details', command: `pawl show ${run}` },
    { label: 'Share', command: `pawl report ${run} --html` },
  ]
}
