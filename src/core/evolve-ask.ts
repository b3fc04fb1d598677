import { type AgentAsk, type AskReply, isLasting } from './agent-ask.ts'
import type { EffectKey, WorkAnswered } from './event-data.ts'
import type { Event } from './event.ts'
import { withLeft } from './workspace-look.ts'
import { type Iteration, NOTES_MAX, type State, withCurrent } from './state.ts'

/** How many lasting answers a run remembers; beyond that the oldest are asked for again. */
const REPLIES_MAX = 50

/** The agent asks and nobody was there: its work is put aside, and what it left is looked at before a person is asked. */
export function workPutAside(state: State, event: Event<'work.asked'>): State {
  const { key, ask, session } = event.data
  const { current } = state
  const before = (current.asked ?? []).filter((each) => each.key !== key)
  const asked = [...before, { seq: event.seq, key, ask, ...(session === undefined ? {} : { session }) }]
  const effects = current.effects.filter((effect) => effect.key !== key)
  return withCurrent(withLeft(state, event.seq), { effects, asked })
}

/** The agent asked and got its answer at once. The clock passes over the time a person took: it is not time at work. */
export function workAnswered(state: State, { at, data }: Event<'work.answered'>): State {
  const { waitedMs = 0, note, how } = data
  const after = Math.max(state.at, Math.min(at, state.at + waitedMs))
  const notes = how === 'person' && note !== undefined ? [...state.notes, note].slice(-NOTES_MAX) : state.notes
  return withAnswered({ ...state, at: after, notes }, data)
}

/** What is remembered of an answer: one that was given before is used up, a new one is kept. */
export function withAnswered(state: State, { key, ask, option, how, note }: WorkAnswered): State {
  if (how === 'policy') return state
  if (how === 'earlier') return withCurrent(state, { replies: used(state.current.replies ?? [], key, ask.id) })
  const chosen = ask.options.find((each) => each.id === option)
  if (!chosen) return state
  const said = note === undefined ? {} : { note }
  const reply = { ask: ask.id, title: ask.title, option, optionKind: chosen.kind, label: chosen.label, ...said, key }
  // Were the work undone by a crash, the person would be asked the same again.
  return withReply(state, { ...reply, isUsed: true })
}

/** Keeps a person's answer for the work that asked, and a lasting one for the whole run. */
export function withReply(state: State, reply: AskReply): State {
  const current = { ...state.current, replies: [...others(state.current.replies ?? [], reply), reply] }
  if (!isLasting(reply.optionKind)) return { ...state, current }
  return { ...state, current, replies: [...others(state.replies ?? [], reply), reply].slice(-REPLIES_MAX) }
}

/** Work that begins again may use every answer it was given again. */
export function repliesAnew(state: State, key: EffectKey): State {
  const { replies } = state.current
  if (!replies?.some((reply) => reply.key === key && reply.isUsed)) return state
  return withCurrent(state, {
    replies: replies.map(({ isUsed, ...reply }) => (isUsed && reply.key !== key ? { ...reply, isUsed } : reply)),
  })
}

/** The answer holds for any agent that continues; the session in which it was asked does not. */
export function withoutSessions(replies: readonly AskReply[]): readonly AskReply[] {
  return replies.map(({ session: _theirs, ...reply }) => reply)
}

/** What was answered for work that is done is of no use to any other. */
export function withoutReplies(replies: Iteration['replies'], key: EffectKey): Partial<Iteration> {
  return replies === undefined ? {} : { replies: replies.filter((reply) => reply.key !== key) }
}

function used(replies: readonly AskReply[], key: EffectKey, ask: string): readonly AskReply[] {
  return replies.map((reply) => (reply.key === key && reply.ask === ask ? { ...reply, isUsed: true } : reply))
}

function others(replies: readonly AskReply[], { ask, key }: AskReply): readonly AskReply[] {
  return replies.filter((reply) => reply.ask !== ask || reply.key !== key)
}

/** The answer a person gave earlier to what the agent asks now, while it holds: once, or for good. */
export function replyFor(state: State, key: EffectKey, { id, options }: AgentAsk): AskReply | undefined {
  const given = [...(state.current.replies ?? []), ...(state.replies ?? [])]
  const reply = given.findLast(
    (each) => each.ask === id && (isLasting(each.optionKind) || (each.key === key && each.isUsed !== true)),
  )
  // Another session may name its answers otherwise; what they mean is what counts.
  const same =
    reply && (options.find((each) => each.id === reply.option) ?? options.find((each) => each.kind === reply.optionKind))
  return reply && same ? { ...reply, option: same.id } : undefined
}

/** The agent's session that continues now that its question is answered. */
export function askingSession({ current }: State, key: EffectKey): string | undefined {
  return current.replies?.findLast((each) => each.key === key && each.session !== undefined)?.session
}

/**
 * What the agent gets besides its brief when it continues after a question; empty if it asked none. `isPutBack` for one that only
 * looks: what it changed is not there any more.
 */
export function replyLines({ current }: State, key: EffectKey, isPutBack = false): readonly string[] {
  const replies = (current.replies ?? []).filter((each) => each.key === key && each.isAfterBreak)
  if (replies.length === 0) return []
  return [
    '# What you asked',
    `You worked on this before and stopped to ask. ${isPutBack ? 'You are to change no files: what you changed was put back.' : 'What you changed so far is still there: continue from it.'}`,
    ...replies.map(({ title, label, note }) => `- ${title}: ${label}${note === undefined ? '' : ` (${note})`}`),
  ]
}
