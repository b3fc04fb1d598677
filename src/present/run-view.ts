import { type Bound, boundNow, outcomeOf, sessionWords } from '../core/outcome.ts'
import { withRaises } from '../core/raises.ts'
import { defined } from '../core/defined.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { type Spent, spentOf, totalsSoFar } from '../core/spending.ts'
import type { BestIteration, EffectProgress, RunStatus, State } from '../core/state.ts'
import { attemptNumber, iterationsMaxIn } from '../core/unit.ts'
import type { Verdict } from '../core/verdict.ts'
import { importedFrom } from '../evidence/transcripts/turn-facts.ts'
import type { Odds } from '../guards/odds/odds.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/own-odds.ts'
import { configView, type ConfigView, goalIn } from './config-view.ts'
import { hintsIn } from './hints.ts'
import { type IterationView, type WorkerStretch, workerStretches } from './iteration-view.ts'
import {
  type DecisionView,
  type PersonAct,
  type QuestionView,
  runFold,
  type RunFold,
  type SavedTree,
  type TaskView,
} from './run-fold.ts'
import { proofView, type ProofView } from './proof-view.ts'
import { textOf } from './words.ts'

/** Everything a person may want to know of a run, as plain data: what `pawl show --json` prints. */
export interface RunView extends OddsNow {
  readonly run: string
  readonly loop: string
  readonly goal?: string
  readonly status: RunStatus
  /** Set for a record of an agent's session that Pawl did not run. */
  readonly isImported?: true
  /** Why it is in this state. */
  readonly message: string
  /** The last event of its journal. */
  readonly seq: Seq
  readonly startedAt: Instant
  readonly updatedAt: Instant
  readonly totals: Spent
  readonly config: ConfigView
  /** The tree before any work, and what the checks said of it. */
  readonly start?: { readonly snapshot: string; readonly verdict?: Verdict }
  /** How many iterations were measured; one more may be open. */
  readonly iterationsDone: number
  /** How many there may be, if the run has one goal and a limit. */
  readonly iterationsMax?: number
  /** Its tasks, in order, if it has several. */
  readonly tasks?: readonly TaskView[]
  readonly iterations: readonly IterationView[]
  /** Which agent worked from which iteration on. */
  readonly workers: readonly WorkerStretch[]
  /** Who works in the place of another now; `until`: when that one is tried again. */
  readonly standIns?: readonly { readonly agent: string; readonly by: string; readonly until?: Instant }[]
  readonly decisions: readonly DecisionView[]
  readonly best?: BestView
  /** Why the work is believed to be done, or what speaks against it; of a run with tasks the last one's. Absent if no proof was made. */
  readonly proof?: ProofView
  /** What in its journal is easily missed and would help it on, a sentence or two each. */
  readonly hints?: readonly string[]
  /** The question that is open now. */
  readonly question?: QuestionView
  /** Every question there was, with its answer. */
  readonly asked: readonly QuestionView[]
  /** Trees that were saved before something was undone. */
  readonly saved: readonly SavedTree[]
  /** What people did. */
  readonly people: readonly PersonAct[]
  /** Effects that began and have not ended. */
  readonly underWay: readonly UnderWay[]
  /** When a wait for a provider is over. */
  readonly waitsUntil?: Instant
  /** The agent's session that continues it when that ends its turn. */
  readonly bound?: Bound
  /** The process that drives it now. Not in the journal: the reader adds it. */
  readonly holder?: HolderView
}

export interface BestView extends BestIteration {
  readonly failing?: number
  /** Set while a person is asked to review it: every other check passes, and it is what is there now. */
  readonly isInReview?: true
  /** Set if the files are in this state now. */
  readonly isNow?: true
  readonly command: string
}

export interface UnderWay {
  readonly key: string
  readonly kind: EffectProgress['kind']
  readonly since: Instant
  readonly process?: ProcessIdentity
}

export interface HolderView extends ProcessIdentity {
  /** False for a process on another machine or in another container, which cannot be seen from here. */
  readonly isSeen: boolean
}

/** Reads a journal once, from its first event on, and says what there is to know. */
export function runView(events: readonly Event[]): RunView {
  return viewOf(runFold(events))
}

/** What there is to know of a run whose events were taken in. */
export function viewOf(run: RunFold): RunView {
  const { state, updatedAt, start, tasks, iterations, decisions, decided, asked, saved, people, telling, begun } = run
  if (state === undefined) throw new PawlError('run.unknown', 'There are no events to look at.')
  const { config, message, standIns = [], baseline, question } = state
  const { status, iterations: iterationsDone } = outcomeOf(state)
  const bound = boundNow(state)
  const hints = hintsIn(state, telling)
  return {
    run: state.run,
    loop: config.loop.name,
    ...defined({ goal: goalOf(state) }),
    status,
    ...(importedFrom(config) ? { isImported: true } : {}),
    iterationsDone,
    ...(tasks.length > 1
      ? {}
      : defined({ iterationsMax: iterationsMaxIn(config.guards, attemptNumber(state.unit, state.current.number)) })),
    // What was decided last is said in today's words.
    message: decided?.message === message ? textOf(message, decided.says) : message,
    seq: state.seq,
    startedAt: state.startedAt,
    ...defined({ waitsUntil: state.timer?.until, bound: bound && { agent: bound.agent, session: bound.session } }),
    totals: spentOf(totalsSoFar(state)),
    updatedAt,
    config: configView(config),
    ...(start === undefined ? {} : { start: { snapshot: start, ...defined({ verdict: baseline?.verdict }) } }),
    ...(tasks.length === 0 ? {} : { tasks }),
    iterations,
    workers: workerStretches(iterations),
    ...(standIns.length === 0
      ? {}
      : { standIns: standIns.map(({ agent, by, until }) => ({ agent, by, ...defined({ until }) })) }),
    decisions,
    ...defined({ best: bestOf(state, iterations) }),
    ...oddsNow(state),
    ...defined({ proof: proofView(state) }),
    ...(hints.length === 0 ? {} : { hints }),
    ...defined({ question: asked.findLast(({ seq }) => seq === question?.seq) }),
    asked,
    saved,
    people,
    underWay: state.current.effects
      .filter((effect) => effect.status === 'open')
      .map(({ key, kind, process }) => ({ key, kind, since: begun[key] ?? 0, ...defined({ process }) })),
  }
}

/** Who continues the run if no command of yours does: an agent's session, or the run's program. */
export function goesOnIn({ bound, config }: Pick<RunView, 'bound' | 'config'>): string | undefined {
  return bound ? sessionWords(bound) : config.program
}

/** The goal, where the loop has one. */
export function goalOf({ config }: State): string | undefined {
  return goalIn(config.loop)
}

function bestOf(state: State, iterations: readonly IterationView[]): BestView | undefined {
  const { best, baseline, config, current, question, tree, run } = state
  if (question?.review && tree) {
    const command = `pawl restore ${run} ${current.number}`
    return { iteration: current.number, score: 1, passed: true, ...tree, seq: question.seq, isInReview: true, command }
  }
  if (!best || importedFrom(config)) return undefined
  const { iteration } = best
  const verdict = iteration === 0 ? baseline?.verdict : iterations.findLast((each) => each.iteration === iteration)?.verdict
  const isNow = best.tree === tree?.tree ? { isNow: true as const } : {}
  return { ...best, ...isNow, ...defined({ failing: verdict?.failing }), command: `pawl restore ${run} ${iteration}` }
}

/** What is known of the chance of a run that is not over. */
export interface OddsNow {
  /** The chance to succeed from here, in the iterations that are left. */
  readonly odds?: Odds
  /** At the maximum none is left: the chance with the maximum that the recommended answer gives it. */
  readonly oddsIfRaised?: { readonly iterationsMax: number; readonly odds: Odds }
}

/** The odds of a run; none for one that is over. */
export function oddsNow(state: State): OddsNow {
  if (state.status === 'completed' || state.status === 'aborted') return {}
  const odds = runOdds(state)
  if (odds) return { odds }
  const options = state.question?.question.options ?? []
  const option = options.find(({ recommended }) => recommended) ?? options[0]
  const raises = option?.consequence.kind === 'continue' ? (option.consequence.raises ?? []) : []
  const to = raises.find(({ guard }) => guard === 'maxIterations')?.to
  const after = to === undefined ? undefined : runOdds({ ...state, config: withRaises(state.config, raises).config })
  return after && to !== undefined ? { oddsIfRaised: { iterationsMax: to, odds: after } } : {}
}

/** Odds in a few words; nothing if there is none or too few runs to compare with. */
export function oddsNowWords({ odds, oddsIfRaised }: OddsNow): string | undefined {
  return odds ? oddsWords(odds) : oddsIfRaised && oddsWords(oddsIfRaised.odds)
}
