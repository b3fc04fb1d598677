import { withGivenAnswer } from './earlier-answer.ts'
import type { Event, Seq } from './event.ts'
import { withReply } from './evolve-ask.ts'
import { withPersonLook } from './workspace-look.ts'
import { forgiveFailures } from './measures/better-score.ts'
import { measuresAnew } from './measures/measures.ts'
import { type Allowance, type Option, OWN_WORDS, type Question } from './question.ts'
import { guidanceNow, withoutOverruled } from './ruling.ts'
import { NOTES_MAX, type State } from './state.ts'

/** A person chose an option. One that the question does not have leaves it open. */
export function answered(state: State, event: Event<'escalation.answered'>): State {
  const { question } = state
  // An answer says which question it is for; one that came too late for it is not taken for the next.
  if (!question || (event.because !== undefined && event.because !== question.seq)) return state
  const option = optionChosen(question.question, event.data.choice)
  if (!option) return state
  const { consequence } = option
  if (consequence.kind !== 'continue') {
    // What is accepted is what is there now, which a person may have restored or edited.
    const { note } = event.data
    const answer = { seq: event.seq, kind: consequence.kind, label: option.label, ...(note === undefined ? {} : { note }) }
    return withPersonLook({ ...state, answer }, event.seq)
  }
  const { ruling, guidance: note, settles } = consequence
  const told = [note, event.data.note].filter((each) => each !== undefined)
  const before = ruling ? withoutOverruled(state, ruling) : state
  const notes = [...before.notes, ...told].slice(-NOTES_MAX)
  const given = { ...(settles === undefined ? {} : { settles }), ...(ruling ? { ruling } : {}) }
  const guidance = note === undefined ? {} : { guidance: [...guidanceNow(before), { note, ...given }] }
  const raises = consequence.raises && consequence.raises.length > 0 ? { raises: consequence.raises } : {}
  const waivers = [...new Set([...state.waivers, ...(consequence.waives ?? [])])]
  const expert = consequence.agent ? { expert: consequence.agent } : {}
  const allowances = allowedNow(state, question.question, option)
  const makes = consequence.makes === undefined ? {} : { toBeMade: [...(state.toBeMade ?? []), consequence.makes] }
  const went = wentOn(state, event.seq, withAnswer(state, consequence.reply, event.data.note))
  const accepted = [...(consequence.disputes ?? []), ...(consequence.waives ?? [])]
  const answers = withGivenAnswer(state, question.question, option, event.data.note)
  return {
    ...withAccepted(went, accepted),
    notes,
    ...guidance,
    waivers,
    ...raises,
    ...expert,
    ...allowances,
    ...makes,
    ...answers,
  }
}

/** What was allowed, and what this answer allows. What another answer to the same question would allow is not allowed any more. */
function allowedNow({ allowances }: State, { options }: Question, chosen: Option): Pick<State, 'allowances'> {
  const allows = allowsOf(chosen)
  const isRuling = chosen.consequence.kind === 'continue' && chosen.consequence.guidance !== undefined
  const others = isRuling ? options.filter((option) => option !== chosen).flatMap(allowsOf) : []
  if (allows.length === 0 && (others.length === 0 || allowances === undefined)) return {}
  const gone = new Set(others.map((each) => JSON.stringify(each)))
  return { allowances: [...(allowances ?? []).filter((each) => !gone.has(JSON.stringify(each))), ...allows] }
}

function allowsOf({ consequence }: Option): readonly Allowance[] {
  return consequence.kind === 'continue' ? (consequence.allows ?? []) : []
}

/** What the agent gets for an answer when it goes on. What others asked meanwhile, and what went wrong, is asked about next. */
function withAnswer(state: State, reply: Reply, note?: string): State | undefined {
  // They are asked about in the order in which they came: of two with the same wish, the first is meant.
  const asking = reply && state.current.asked?.find(({ ask }) => ask.id === reply.ask)
  if (!asking) return undefined
  const { key, session } = asking
  const said = note === undefined ? {} : { note }
  const goesOn = session === undefined ? {} : { session }
  const told = withReply(state, { ...reply, ...said, key, isAfterBreak: true, ...goesOn })
  const { asked: _before, ...current } = told.current
  const others = state.current.asked?.filter((each) => each !== asking) ?? []
  return { ...told, current: { ...current, ...(others.length === 0 ? {} : { asked: others }) } }
}

type Reply = Extract<Option['consequence'], { kind: 'continue' }>['reply']

/** A person lets a guard be passed once: now, where the run stands still because of it alone, or else at its next trip. */
export function waived(state: State, event: Event<'guard.waived' | 'guard.disputed'>): State {
  const { guard, note } = event.data
  // A dispute says which question it is about; where that is answered, it only counts against the guard.
  if (event.because !== undefined && (event.because !== state.question?.seq || state.answer !== undefined)) return state
  const notes = note === undefined ? state.notes : [...state.notes, note].slice(-NOTES_MAX)
  const waivers = [...state.waivers.filter((name) => name !== guard), guard]
  const asked = (state.question?.trips ?? []).map((trip) => trip.guard)
  const isLetGo = asked.length > 0 && asked.every((name) => waivers.includes(name))
  if (!isLetGo) return { ...state, notes, waivers }
  return { ...withAccepted(wentOn(state, event.seq), asked), notes, waivers: waivers.filter((name) => !asked.includes(name)) }
}

/** What a person lets a guard pass need not be put back. */
export function withAccepted(state: State, guards: readonly string[]): State {
  return guards.includes('tampering') && state.openSuspicions ? { ...state, openSuspicions: [] } : state
}

/** The option a person means: its name, or its number counted from 1. */
export function optionChosen(question: Question, choice: string): Option | undefined {
  const wanted = choice.trim()
  const option = question.options.find((each, index) => each.choice === wanted || String(index + 1) === wanted)
  return option ?? (wanted === OWN_WORDS ? inOwnWords(question) : undefined)
}

function inOwnWords({ options }: Question): Option | undefined {
  const on = options.map(({ consequence }) => consequence).find(({ kind }) => kind === 'continue')
  if (on?.kind !== 'continue') return undefined
  if (on.reply) return optionForWords(options)
  const raises = on.raises === undefined ? {} : { raises: on.raises }
  return { choice: OWN_WORDS, label: 'In their own words', consequence: { kind: 'continue', ...raises } }
}

/** To an agent that asks, words are the answer where it takes any; otherwise they say why not. */
function optionForWords(options: readonly Option[]): Option | undefined {
  return ['words', 'deny-once', 'deny-always'].map((kind) => options.find((each) => replyKind(each) === kind)).find(Boolean)
}

function replyKind({ consequence }: Option): string | undefined {
  return consequence.kind === 'continue' ? consequence.reply?.optionKind : undefined
}

/** What failed before a person stepped in is no evidence against what they asked for, so the streaks start anew. */
function wentOn(state: State, seq: Seq, replied = withoutProblem(state)): State {
  const { question: _answered, answer: _before, ...rest } = withPersonLook(replied, seq)
  const { problem, asked } = state.current
  const { current } = replied
  const isSame = problem !== undefined || asked !== undefined
  return {
    ...rest,
    status: 'running',
    message: 'A person let it go on.',
    measures: isSame
      ? state.measures
      : {
          ...measuresAnew(state.measures, state.recent.at(-1)?.iteration ?? 0),
          betterScore: forgiveFailures(state.measures.betterScore),
        },
    current: isSame ? withoutDecision(current) : { ...current, decision: { seq, action: 'retry' } },
  }
}

function withoutProblem(state: State): State {
  const { problem: _settled, ...current } = state.current
  return { ...state, current }
}

/** A problem that was not the agent's is tried again, and work that was put aside goes on, within the same iteration. */
function withoutDecision(current: State['current']): State['current'] {
  const { decision: _void, ...rest } = current
  return rest
}
