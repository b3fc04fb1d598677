import type { Event, Instant, Seq } from '../core/event.ts'
import type { FileChange, ProcessIdentity } from '../core/event-data.ts'
import { type Bound, boundNow, sessionWords } from '../core/bound-words.ts'
import { evolve } from '../core/evolve.ts'
import { outcomeOf } from '../core/outcome-of.ts'
import type { BestIteration, RunStatus } from '../core/outcome.ts'
import { PawlError } from '../core/pawl-error.ts'
import { type Spent, spentOf, totalsSoFar } from '../core/spent-of.ts'
import type { EffectProgress, State } from '../core/state.ts'
import { importedFrom } from '../evidence/transcripts/imported-config.ts'
import type { Verdict } from '../core/verdict.ts'
import { configView, type ConfigView } from './config-view.ts'
import { decisionViews, type DecisionView } from './decision-view.ts'
import { goalIn } from './goal-in.ts'
import { iterationViews, type IterationView } from './iteration-view.ts'
import { oddsNow, type OddsNow } from './odds-now.ts'
import { hintsIn } from './run-hints.ts'
import { taskViews, type TaskView } from './task-view.ts'
import { peopleView, type PersonAct, type QuestionView } from './people-view.ts'
import { type WorkerStretch, workerStretches } from './worker-view.ts'

/** Everything a person may want to know of a run, as plain data: what `pawl show --json` prints. */
export interface RunView extends OddsNow {
  readonly run: string
  readonly loop: string
  readonly goal?: string
  readonly status: RunStatus
  /** Set for a record of an agent's session that Pawl did not run. */
  readonly isImported?: true
  /** Why it stands where it stands. */
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
  /** Its tasks, in order, where it has several. */
  readonly tasks?: readonly TaskView[]
  readonly iterations: readonly IterationView[]
  /** Which agent worked from which iteration on. */
  readonly workers: readonly WorkerStretch[]
  /** Who works in the place of another now; `until`: when that one is tried again. */
  readonly standIns?: readonly { readonly agent: string; readonly by: string; readonly until?: Instant }[]
  readonly decisions: readonly DecisionView[]
  readonly best?: BestView
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
  /** The agent's session that goes on with it when that ends its turn. */
  readonly bound?: Bound
  /** The process that drives it now. Not in the journal: whoever looks adds it. */
  readonly holder?: HolderView
}

export interface BestView extends BestIteration {
  readonly failing?: number
  /** Set while a person is asked to review it: every other check passes, and it is what is there now. */
  readonly isInReview?: true
  readonly command: string
}

export interface SavedTree {
  readonly seq: Seq
  /** Whose edits they are that were undone: of one that was only to look; absent for half-done work. */
  readonly by?: 'reviewer' | 'planner'
  readonly at: Instant
  readonly snapshot: string
  /** What was put back, as far as it is on record; `filesChanged` counts all. */
  readonly files?: readonly FileChange[]
  readonly filesChanged?: number
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
  const iterations = iterationViews()
  const decisions = decisionViews()
  const people = peopleView()
  const tasks = taskViews()
  const saved: SavedTree[] = []
  let start: string | undefined
  let state: State | undefined
  for (const event of events) {
    const after = evolve(state, event)
    iterations.take(event, state, after)
    decisions.take(event, state)
    people.take(event, state)
    tasks.take(event)
    if (event.type === 'workspace.restored' && event.data.savedAs !== undefined) saved.push(savedTree(event, event.data.savedAs))
    if (event.type === 'workspace.observed') start ??= event.data.snapshot
    state = after
  }
  if (state === undefined) throw new PawlError('run.unknown', 'There are no events to look at.')
  const { found } = iterations
  return {
    ...standing(state),
    totals: spentOf(totalsSoFar(state)),
    updatedAt: events.at(-1)?.at ?? state.at,
    config: configView(state.config),
    ...(start === undefined
      ? {}
      : { start: { snapshot: start, ...(state.baseline ? { verdict: state.baseline.verdict } : {}) } }),
    ...(tasks.found.length === 0 ? {} : { tasks: tasks.found }),
    iterations: found,
    workers: workerStretches(found),
    ...standInsOf(state),
    decisions: decisions.found,
    ...bestOf(state, found),
    ...oddsNow(state),
    ...hintsOf(state, events),
    ...openQuestion(state, people.asked),
    asked: people.asked,
    saved,
    people: people.acts,
    underWay: underWay(state, events),
  }
}

function hintsOf(state: State, events: readonly Event[]): Pick<RunView, 'hints'> {
  const hints = hintsIn(state, events)
  return hints.length === 0 ? {} : { hints }
}

/** The last part of a snapshot's name: what `pawl restore` takes for it. */
export function snapshotLabel(snapshot: string): string {
  return snapshot.slice(snapshot.lastIndexOf('/') + 1)
}

/** Who goes on with the run where no command of a person does: a session of an agent, or the program it is made of. */
export function goesOnIn({ bound, config }: Pick<RunView, 'bound' | 'config'>): string | undefined {
  return bound ? sessionWords(bound) : config.program
}

/** The goal, where the loop has one. */
export function goalOf({ config }: State): string | undefined {
  return goalIn(config.loop)
}

function standing(
  state: State,
): Pick<
  RunView,
  'run' | 'loop' | 'goal' | 'status' | 'isImported' | 'message' | 'seq' | 'startedAt' | 'iterationsDone' | 'waitsUntil' | 'bound'
> {
  const { run, message, seq, startedAt, timer } = state
  const goal = goalOf(state)
  const bound = boundNow(state)
  return {
    run,
    loop: state.config.loop.name,
    ...(goal === undefined ? {} : { goal }),
    status: outcomeOf(state).status,
    ...(importedFrom(state.config) ? { isImported: true as const } : {}),
    iterationsDone: outcomeOf(state).iterations,
    message,
    seq,
    startedAt,
    ...(timer === undefined ? {} : { waitsUntil: timer.until }),
    ...(bound ? { bound: { agent: bound.agent, session: bound.session } } : {}),
  }
}

function savedTree({ run, seq, at, data }: Event<'workspace.restored'>, snapshot: string): SavedTree {
  const by = whoOnlyLooks(data.key)
  const { files, filesChanged } = data
  const what = { ...(files ? { files } : {}), ...(filesChanged === undefined ? {} : { filesChanged }) }
  return { seq, ...(by ? { by } : {}), at, snapshot, ...what, command: `pawl restore ${run} ${snapshotLabel(snapshot)}` }
}

/** Of whom files were put back that was only to look; nothing where half-done work was undone. */
export function whoOnlyLooks(key: string): SavedTree['by'] {
  if (!key.endsWith('/restore')) return undefined
  return key.includes('/planner/') ? 'planner' : 'reviewer'
}

function standInsOf({ standIns = [] }: State): Pick<RunView, 'standIns'> {
  if (standIns.length === 0) return {}
  return { standIns: standIns.map(({ agent, by, until }) => ({ agent, by, ...(until === undefined ? {} : { until }) })) }
}

function bestOf(state: State, iterations: readonly IterationView[]): Pick<RunView, 'best'> {
  const { best, config, current, question, tree, run } = state
  if (question?.review && tree) {
    const command = `pawl restore ${run} ${current.number}`
    return {
      best: { iteration: current.number, score: 1, passed: true, ...tree, seq: question.seq, isInReview: true, command },
    }
  }
  return best && !importedFrom(config) ? { best: bestView(state, best, iterations) } : {}
}

function bestView(state: State, best: BestIteration, iterations: readonly IterationView[]): BestView {
  const verdict =
    best.iteration === 0 ? state.baseline?.verdict : iterations.findLast((each) => each.iteration === best.iteration)?.verdict
  const failing = verdict === undefined ? {} : { failing: verdict.failing }
  return { ...best, ...failing, command: `pawl restore ${state.run} ${best.iteration}` }
}

function openQuestion({ question }: State, asked: readonly QuestionView[]): { readonly question?: QuestionView } {
  const open = question && asked.findLast(({ seq }) => seq === question.seq)
  return open ? { question: open } : {}
}

function underWay({ current }: State, events: readonly Event[]): readonly UnderWay[] {
  return current.effects
    .filter(({ status }) => status === 'open')
    .map(({ key, kind, seq, process }) => ({ key, kind, since: events[seq - 1]?.at ?? 0, ...(process ? { process } : {}) }))
}
