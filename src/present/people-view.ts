import { optionChosen } from '../core/evolve-answer.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { counted } from '../core/wording.ts'

/** A question of the run, and the answer once there is one. */
export interface QuestionView {
  readonly seq: Seq
  readonly at: Instant
  /** Whether the run asked before going on, or a limit ended it and going on is one of the options. */
  readonly status: 'escalated' | 'stopped'
  readonly text: string
  /** The pattern seen over the attempts. */
  readonly pattern?: string
  readonly attempts: readonly string[]
  /** What stands in the way, consolidated over the attempts. */
  readonly feedback?: readonly string[]
  /** What to do about it before answering, in order. */
  readonly steps?: readonly string[]
  readonly options: readonly OptionView[]
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
export function peopleView(): PeopleView {
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
  const { text, pattern, attempts, feedback, steps, options } = event.data.question
  return {
    seq: event.seq,
    at: event.at,
    status: event.type === 'run.stopped' ? 'stopped' : 'escalated',
    text,
    ...(pattern === undefined ? {} : { pattern }),
    attempts,
    ...(feedback === undefined ? {} : { feedback }),
    ...(steps === undefined ? {} : { steps }),
    options: options.map(({ consequence: _done, recommended = false, ...option }, index) => {
      const number = index + 1
      return { number, ...option, recommended, command: `pawl answer ${event.run} ${number}` }
    }),
  }
}

/** An answer the question does not have leaves it open, as it does in the run itself. */
function answer(asked: QuestionView[], event: Event<'escalation.answered'>, before: State | undefined): void {
  const index = asked.findLastIndex((question) => question.seq === before?.question?.seq)
  const question = asked[index]
  const option = before?.question && optionChosen(before.question.question, event.data.choice)
  if (!question || !option) return
  const { choice, label } = option
  asked[index] = { ...question, answer: { seq: event.seq, at: event.at, ...named(event), choice, label, ...noted(event.data) } }
}

function actOf(event: Event, before: State | undefined): Pick<PersonAct, 'what' | 'note'> | undefined {
  switch (event.type) {
    case 'escalation.answered': {
      const option = before?.question && optionChosen(before.question.question, event.data.choice)
      return {
        what: `answered: ${option?.label ?? `"${event.data.choice}", which is none of the options`}`,
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
