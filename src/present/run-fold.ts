import { defined } from '../core/defined.ts'
import type { DecisionMade, FileChange, FileLines } from '../core/event-data.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import { optionChosen, type Question } from '../core/question.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import { counted } from '../core/wording.ts'
import { evolve } from '../loops/evolve.ts'
import { settingsIn } from '../loops/parallel/settings.ts'
import type { PlanItem } from '../loops/shared/plan.ts'
import { tellsHint } from './hints.ts'
import { type IterationView, learnIteration } from './iteration-view.ts'
import { proofView, type ProofView } from './proof-view.ts'
import { optionInWords, questionInWords, textOf } from './words.ts'

/**
 * A run as its events show it, taken in one by one: the only bookkeeping behind all that shows a run. `runView` says what it has come to;
 * progress and the log say what the newest event means.
 */
export interface RunFold {
  take(event: Event): void
  /** The state before the newest event, and after it. */
  readonly before: State | undefined
  readonly state: State | undefined
  /** When the newest event was; the state's clock does not move for what people say meanwhile. */
  readonly updatedAt: Instant
  readonly iterations: readonly IterationView[]
  readonly decisions: readonly DecisionView[]
  /** The last of them, as it was recorded. */
  readonly decided: DecisionMade | undefined
  /** Every question there was, with its answer. */
  readonly asked: readonly QuestionView[]
  /** What people did. */
  readonly people: readonly PersonAct[]
  /** Empty for a run without a plan. */
  readonly tasks: readonly TaskView[]
  readonly saved: readonly SavedTree[]
  /** The snapshot before any work. */
  readonly start: string | undefined
  /** When the effects that are open began, by key. */
  readonly begun: Readonly<Record<string, Instant>>
  /** The events that `hintsIn` reads. */
  readonly telling: readonly Event[]
}

/** A run of which these events are known. */
export function runFold(events: readonly Event[] = []): RunFold {
  const run = new Fold()
  for (const event of events) run.take(event)
  return run
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

/** A question of the run, and the answer once there is one. */
export interface QuestionView {
  readonly seq: Seq
  readonly at: Instant
  /** Whether the run asked before continuing, or a limit ended it and continuing is one of the options. */
  readonly status: 'escalated' | 'stopped'
  /** What kind of question it is, if that is on record. */
  readonly code?: string
  readonly text: string
  /** The pattern seen over the attempts. */
  readonly pattern?: string
  readonly attempts: readonly string[]
  /** What fails, consolidated over the attempts. */
  readonly feedback?: readonly string[]
  /** What to do about it before answering, in order. */
  readonly steps?: readonly string[]
  /** The first lines that the last attempt changed. */
  readonly changes?: readonly FileLines[]
  readonly options: readonly OptionView[]
  /** Its sentences as data, if they are on record. */
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
  /** The limits it raises, in words: "up to 6 iterations". */
  readonly limits?: readonly string[]
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
  /** Why it counts as done; absent if no proof was made. */
  readonly proof?: ProofView
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

class Fold implements RunFold {
  before: State | undefined
  state: State | undefined
  updatedAt: Instant = 0
  readonly iterations: IterationView[] = []
  readonly decisions: DecisionView[] = []
  decided: DecisionMade | undefined
  readonly asked: QuestionView[] = []
  readonly people: PersonAct[] = []
  readonly tasks: TaskView[] = []
  readonly saved: SavedTree[] = []
  start: string | undefined
  begun: Readonly<Record<string, Instant>> = {}
  readonly telling: Event[] = []
  /** What guards said since the last decision. */
  #trips: readonly TripView[] = []
  #task = -1

  take(event: Event): void {
    const before = this.state
    const after = evolve(before, event)
    this.before = before
    this.state = after
    this.updatedAt = event.at
    learnIteration(this.iterations, event, before, after)
    if (tellsHint(event, before)) this.telling.push(event)
    const open = after.current.effects.find(({ seq, status }) => seq === event.seq && status === 'open')
    if (open) this.begun = { ...this.begun, [open.key]: event.at }
    const act = event.by.role === 'person' ? actOf(event, before) : undefined
    if (act) this.people.push({ seq: event.seq, at: event.at, ...authorOf(event), ...act })
    this.#learn(event, before)
  }

  #learn(event: Event, before: State | undefined): void {
    switch (event.type) {
      case 'run.started': {
        const parallel = settingsIn(event.data.config.loop)
        if (parallel?.mode === 'tasks') this.tasks.push(...parallel.children.map(openTask))
        break
      }
      case 'child.started':
        this.#learnTask(this.#taskNumber(event.data.child), { status: 'under way', attempts: event.data.attempt })
        break
      case 'child.finished':
        if (event.data.status !== 'proven') this.#learnTask(this.#taskNumber(event.data.child), { status: 'open' })
        break
      case 'child.merged':
        this.#learnTask(this.#taskNumber(event.data.child), { status: 'done', finishedSeq: event.seq })
        break
      case 'plan.made':
        this.tasks.push(...event.data.items.map(openTask))
        break
      case 'item.started':
        this.#task = event.data.index
        this.#learnTask(this.#task, { status: 'under way' })
        break
      case 'item.finished':
        this.#learnTask(event.data.index, {
          status: 'done',
          finishedSeq: event.seq,
          message: event.data.message,
          ...defined({ proof: before && proofView(before) }),
        })
        break
      case 'iteration.started':
        this.begun = {}
        break
      case 'iteration.ended':
        this.#learnTask(this.#task, { attempts: (this.tasks[this.#task]?.attempts ?? 0) + 1 })
        break
      case 'guard.tripped':
      case 'guard.nudged':
      case 'budget.warned': {
        const isWaived = event.type === 'guard.tripped' && (before?.waivers.includes(event.data.guard) ?? false)
        this.#trips = [...this.#trips, { ...event.data, seq: event.seq, isWaived }]
        break
      }
      case 'decision.made':
        this.decided = event.data
        this.decisions.push(decisionView(event, this.#trips))
        this.#trips = []
        break
      case 'guard.disputed':
        dispute(this.decisions, event.data.guard)
        break
      case 'escalation.raised':
      case 'run.stopped':
        this.asked.push(questionView(event))
        break
      case 'escalation.answered':
        answer(this.asked, event, before)
        break
      case 'workspace.observed':
        this.start ??= event.data.snapshot
        break
      case 'workspace.restored':
        if (event.data.savedAs !== undefined) this.saved.push(savedTree(event, event.data.savedAs))
        break
    }
  }

  #taskNumber(id: string): number {
    return this.tasks.findIndex((task) => task.id === id)
  }

  #learnTask(index: number, more: Partial<TaskView>): void {
    const task = this.tasks[index]
    if (task) this.tasks[index] = { ...task, ...more }
  }
}

function decisionView({ seq, at, data }: Event<'decision.made'>, trips: readonly TripView[]): DecisionView {
  const { iteration, action, basis, says, guards } = data
  const codes = { ...defined({ says, guards }) }
  return { seq, at, iteration, action, message: textOf(data.message, says), basis: [...new Set(basis)], trips, ...codes }
}

/** What a person calls wrong is what the guard said last. */
function dispute(found: DecisionView[], guard: string): void {
  const index = found.findLastIndex(({ trips }) => trips.some((trip) => trip.guard === guard))
  const decision = found[index]
  if (!decision) return
  const trips = decision.trips.map((trip) => (trip.guard === guard ? { ...trip, isDisputed: true as const } : trip))
  found[index] = { ...decision, trips }
}

function questionView(event: Event<'escalation.raised' | 'run.stopped'>): QuestionView {
  const { code, text, pattern, attempts, feedback, steps, changes, options, says } = questionInWords(event.data.question)
  return {
    seq: event.seq,
    at: event.at,
    status: event.type === 'run.stopped' ? 'stopped' : 'escalated',
    ...(code === undefined ? {} : { code }),
    text,
    ...(pattern === undefined ? {} : { pattern }),
    attempts,
    ...defined({ feedback, steps, changes }),
    options: options.map(({ consequence, says: _data, recommended = false, ...option }, index) => {
      const number = index + 1
      const raises = consequence.kind === 'continue' ? (consequence.raises ?? []) : []
      const limits = raises.length === 0 ? {} : { limits: raises.map((raise) => raise.label) }
      return { number, ...option, ...limits, recommended, command: `pawl answer ${event.run} ${number}` }
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
  asked[index] = {
    ...question,
    answer: { seq: event.seq, at: event.at, ...authorOf(event), choice, label, ...noted(event.data) },
  }
}

function actOf(event: Event, before: State | undefined): Pick<PersonAct, 'what' | 'note'> | undefined {
  switch (event.type) {
    case 'escalation.answered': {
      const option = before?.question && optionChosen(before.question.question, event.data.choice)
      return {
        what: `answered: ${(option && optionInWords(option).label) ?? `"${event.data.choice}", which isn't an option`}`,
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

function authorOf({ by }: Event): { readonly by?: string } {
  return by.name === undefined ? {} : { by: by.name }
}

function noted({ note }: { readonly note?: string }): { readonly note?: string } {
  return note === undefined ? {} : { note }
}

function openTask({ id, goal }: Pick<PlanItem, 'id' | 'goal'>, index: number): TaskView {
  return { number: index + 1, id, goal, status: 'open', attempts: 0 }
}

function savedTree({ run, seq, at, data }: Event<'workspace.restored'>, snapshot: string): SavedTree {
  const by = whoOnlyLooks(data.key)
  const { files, filesChanged } = data
  const what = { ...defined({ files, filesChanged }) }
  return { seq, ...(by ? { by } : {}), at, snapshot, ...what, command: `pawl restore ${run} ${snapshotLabel(snapshot)}` }
}

/** The last part of a snapshot's name: what `pawl restore` takes for it. */
export function snapshotLabel(snapshot: string): string {
  return snapshot.slice(snapshot.lastIndexOf('/') + 1)
}

/** Of whom files were put back that was only to look; nothing if half-done work was undone. */
function whoOnlyLooks(key: string): SavedTree['by'] {
  if (!key.endsWith('/restore')) return undefined
  return key.includes('/planner/') ? 'planner' : 'reviewer'
}
