import type { Event, Instant, Seq } from '../core/event.ts'
import type { DecisionMade, FileChange, ProcessIdentity } from '../core/event-data.ts'
import { type Bound, boundNow, sessionWords } from '../core/bound-words.ts'
import { evolve } from '../loops/evolve.ts'
import { outcomeOf } from '../core/outcome.ts'
import { type BestIteration, type RunStatus } from '../core/state.ts'
import { PawlError } from '../core/pawl-error.ts'
import { type Spent, spentOf, totalsSoFar } from '../core/spending.ts'
import type { EffectProgress, State } from '../core/state.ts'
import { importedFrom } from '../evidence/transcripts/turn-facts.ts'
import type { Verdict } from '../core/verdict.ts'
import type { Question } from '../core/question.ts'
import { optionInWords, questionInWords, textOf } from './words.ts'
import { configView, type ConfigView, goalIn } from './config-view.ts'
import { type IterationView, iterationViews, type WorkerStretch, workerStretches } from './iteration-view.ts'
import { hintsIn } from './hints.ts'
import type { Odds } from '../guards/odds/odds.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/own-odds.ts'
import { raised } from '../core/config-after-answer.ts'
import type { Trip } from '../core/trip.ts'
import { optionChosen } from '../core/evolve-answer.ts'
import { counted } from '../core/wording.ts'
import type { PlanItem } from '../loops/shared/plan.ts'

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
  let decided: Event<'decision.made'> | undefined
  let state: State | undefined
  for (const event of events) {
    const after = evolve(state, event)
    iterations.take(event, state, after)
    decisions.take(event, state)
    people.take(event, state)
    tasks.take(event)
    if (event.type === 'decision.made') decided = event
    if (event.type === 'workspace.restored' && event.data.savedAs !== undefined) saved.push(savedTree(event, event.data.savedAs))
    if (event.type === 'workspace.observed') start ??= event.data.snapshot
    state = after
  }
  if (state === undefined) throw new PawlError('run.unknown', 'There are no events to look at.')
  const { found } = iterations
  return {
    ...standing(state, decided),
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
  decided: Event<'decision.made'> | undefined,
): Pick<
  RunView,
  'run' | 'loop' | 'goal' | 'status' | 'isImported' | 'message' | 'seq' | 'startedAt' | 'iterationsDone' | 'waitsUntil' | 'bound'
> {
  const { run, seq, startedAt, timer } = state
  // What was decided last is said in today's words.
  const message = decided && decided.data.message === state.message ? textOf(state.message, decided.data.says) : state.message
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
  const option = state.question?.question.options.find(({ recommended }) => recommended)
  const raises = option?.consequence.kind === 'continue' ? (option.consequence.raises ?? []) : []
  const to = raises.find(({ guard }) => guard === 'maxIterations')?.to
  const after = to === undefined ? undefined : runOdds({ ...state, config: raised(state.config, raises).config })
  return after && to !== undefined ? { oddsIfRaised: { iterationsMax: to, odds: after } } : {}
}

/** Odds in a few words; nothing where the question makes no sense. */
export function oddsNowWords({ odds, oddsIfRaised }: OddsNow): string | undefined {
  if (odds) return oddsWords(odds)
  return oddsIfRaised && `with up to ${oddsIfRaised.iterationsMax} iterations: ${oddsWords(oddsIfRaised.odds)}`
}

/** A decision with everything it rests on. */
export interface DecisionView extends Omit<DecisionMade, 'trips'> {
  readonly seq: Seq
  readonly at: Instant
  readonly trips: readonly TripView[]
}

/** What a guard said, with its place in the journal. */
export interface TripView extends Trip {
  readonly seq: Seq
  /** Whether a person had allowed it to be passed. */
  readonly isWaived: boolean
  /** Set when a person called it a false alarm. */
  readonly isDisputed?: true
}

/** Gathers decisions from a journal, event by event. */
export interface DecisionViews {
  take(event: Event, before: State | undefined): void
  readonly found: readonly DecisionView[]
}

/** None yet. */
function decisionViews(): DecisionViews {
  const found: DecisionView[] = []
  let trips: readonly TripView[] = []
  return {
    found,
    take(event, before) {
      if (event.type === 'guard.tripped' || event.type === 'guard.nudged' || event.type === 'budget.warned') {
        const isWaived = event.type === 'guard.tripped' && (before?.waivers.includes(event.data.guard) ?? false)
        trips = [...trips, { ...event.data, seq: event.seq, isWaived }]
      } else if (event.type === 'decision.made') {
        const { iteration, action, basis, says, guards } = event.data
        const message = textOf(event.data.message, says)
        const data = { ...(says ? { says } : {}), ...(guards ? { guards } : {}) }
        found.push({ seq: event.seq, at: event.at, iteration, action, message, basis: [...new Set(basis)], trips, ...data })
        trips = []
      } else if (event.type === 'guard.disputed') dispute(found, event.data.guard)
    },
  }
}

/** What a person calls wrong is what the guard said last. */
function dispute(found: DecisionView[], guard: string): void {
  const index = found.findLastIndex(({ trips }) => trips.some((trip) => trip.guard === guard))
  const decision = found[index]
  if (!decision) return
  const trips = decision.trips.map((trip) => (trip.guard === guard ? { ...trip, isDisputed: true as const } : trip))
  found[index] = { ...decision, trips }
}

/** A question of the run, and the answer once there is one. */
export interface QuestionView {
  readonly seq: Seq
  readonly at: Instant
  /** Whether the run asked before going on, or a limit ended it and going on is one of the options. */
  readonly status: 'escalated' | 'stopped'
  /** What kind of question it is, where that is on record. */
  readonly code?: string
  readonly text: string
  /** The pattern seen over the attempts. */
  readonly pattern?: string
  readonly attempts: readonly string[]
  /** What stands in the way, consolidated over the attempts. */
  readonly feedback?: readonly string[]
  /** What to do about it before answering, in order. */
  readonly steps?: readonly string[]
  readonly options: readonly OptionView[]
  /** Its sentences as data, where they are on record. */
  readonly says?: Question['says']
  readonly answer?: AnswerView
}

export interface OptionView {
  /** What a person types, counted from 1. */
  readonly number: number
  readonly choice: string
  readonly label: string
  /** What happens after it is chosen. */
  readonly then?: string
  readonly recommended: boolean
  readonly command: string
}

export interface AnswerView {
  readonly seq: Seq
  readonly at: Instant
  readonly by?: string
  readonly choice: string
  readonly label: string
  readonly note?: string
}

/** Something a person did to the run. */
export interface PersonAct {
  readonly seq: Seq
  readonly at: Instant
  readonly by?: string
  readonly what: string
  readonly note?: string
}

/** Gathers what people were asked and what they did, event by event. */
export interface PeopleView {
  take(event: Event, before: State | undefined): void
  readonly asked: readonly QuestionView[]
  readonly acts: readonly PersonAct[]
}

/** Nobody was asked yet. */
function peopleView(): PeopleView {
  const asked: QuestionView[] = []
  const acts: PersonAct[] = []
  return {
    asked,
    acts,
    take(event, before) {
      if (event.type === 'escalation.raised' || event.type === 'run.stopped') asked.push(questionView(event))
      if (event.type === 'escalation.answered') answer(asked, event, before)
      const act = event.by.role === 'person' ? actOf(event, before) : undefined
      if (act) acts.push({ seq: event.seq, at: event.at, ...named(event), ...act })
    },
  }
}

function questionView(event: Event<'escalation.raised' | 'run.stopped'>): QuestionView {
  const { code, text, pattern, attempts, feedback, steps, options, says } = questionInWords(event.data.question)
  return {
    seq: event.seq,
    at: event.at,
    status: event.type === 'run.stopped' ? 'stopped' : 'escalated',
    ...(code === undefined ? {} : { code }),
    text,
    ...(pattern === undefined ? {} : { pattern }),
    attempts,
    ...(feedback === undefined ? {} : { feedback }),
    ...(steps === undefined ? {} : { steps }),
    options: options.map(({ consequence: _done, says: _data, recommended = false, ...option }, index) => {
      const number = index + 1
      return { number, ...option, recommended, command: `pawl answer ${event.run} ${number}` }
    }),
    ...(says ? { says } : {}),
  }
}

/** An answer the question does not have leaves it open, as it does in the run itself. */
function answer(asked: QuestionView[], event: Event<'escalation.answered'>, before: State | undefined): void {
  const index = asked.findLastIndex((question) => question.seq === before?.question?.seq)
  const question = asked[index]
  const option = before?.question && optionChosen(before.question.question, event.data.choice)
  if (!question || !option) return
  const { choice, label } = optionInWords(option)
  asked[index] = { ...question, answer: { seq: event.seq, at: event.at, ...named(event), choice, label, ...noted(event.data) } }
}

function actOf(event: Event, before: State | undefined): Pick<PersonAct, 'what' | 'note'> | undefined {
  switch (event.type) {
    case 'escalation.answered': {
      const option = before?.question && optionChosen(before.question.question, event.data.choice)
      return {
        what: `answered: ${(option && optionInWords(option).label) ?? `"${event.data.choice}", which is none of the options`}`,
        ...noted(event.data),
      }
    }
    case 'guard.waived':
      return { what: `let ${event.data.guard} be passed once`, ...noted(event.data) }
    case 'guard.disputed':
      return { what: `called ${event.data.guard} a false alarm`, ...noted(event.data) }
    case 'run.unbound':
      return { what: `took it away from session ${event.data.session} of ${event.data.agent}` }
    case 'run.aborted':
      return { what: 'ended the run', note: event.data.reason }
    case 'workspace.observed':
      return { what: `changed ${counted(event.data.filesChanged, 'file')} while nobody was driving` }
    default:
      return undefined
  }
}

function named({ by }: Event): { readonly by?: string } {
  return by.name === undefined ? {} : { by: by.name }
}

function noted({ note }: { readonly note?: string }): { readonly note?: string } {
  return note === undefined ? {} : { note }
}

/** One of several tasks of a run. */
export interface TaskView {
  /** Counted from 1. */
  readonly number: number
  readonly id: string
  readonly goal: string
  readonly status: 'open' | 'under way' | 'done'
  /** How many iterations were measured for it. */
  readonly attempts: number
  /** Where it ended, and with what words. */
  readonly finishedSeq?: Seq
  readonly message?: string
}

/** Gathers the tasks of a plan from a journal, event by event. */
export interface TaskViews {
  take(event: Event): void
  /** Empty for a run without a plan. */
  readonly found: readonly TaskView[]
}

/** None yet. */
function taskViews(): TaskViews {
  const found: TaskView[] = []
  let index = -1
  const learn = (place: number, more: Partial<TaskView>): void => {
    const task = found[place]
    if (task) found[place] = { ...task, ...more }
  }
  return {
    found,
    take(event) {
      if (event.type === 'plan.made') found.push(...event.data.items.map(openTask))
      else if (event.type === 'item.started') {
        ;({ index } = event.data)
        learn(index, { status: 'under way' })
      } else if (event.type === 'iteration.ended') learn(index, { attempts: (found[index]?.attempts ?? 0) + 1 })
      else if (event.type === 'item.finished')
        learn(event.data.index, { status: 'done', finishedSeq: event.seq, message: event.data.message })
    },
  }
}

function openTask({ id, goal }: PlanItem, index: number): TaskView {
  return { number: index + 1, id, goal, status: 'open', attempts: 0 }
}
