import { type AgentAsk, type AskReply, isLasting } from './agent-ask.ts'
import type { EffectKey } from './event-data.ts'
import type { State } from './state.ts'

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

/** The agent's session that goes on now that its question is answered. */
export function askingSession({ current }: State, key: EffectKey): string | undefined {
  return current.replies?.findLast((each) => each.key === key && each.session !== undefined)?.session
}

/**
 * What the agent is told besides its brief when it goes on after a question; empty where it asked none. `isPutBack` for one that only
 * looks: what it changed is not there any more.
 */
export function replyLines({ current }: State, key: EffectKey, isPutBack = false): readonly string[] {
  const replies = (current.replies ?? []).filter((each) => each.key === key && each.isAfterBreak)
  if (replies.length === 0) return []
  return [
    '# What you asked',
    `You worked on this before and stopped to ask. ${isPutBack ? 'You are to change no files: what you changed was put back.' : 'What you changed so far is still there: go on from it.'}`,
    ...replies.map(({ title, label, note }) => `- ${title}: ${label}${note === undefined ? '' : ` (${note})`}`),
  ]
}
