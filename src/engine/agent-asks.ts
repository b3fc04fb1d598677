import type { AgentAsk } from '../core/agent-ask.ts'
import { askQuestion } from '../core/ask-question.ts'
import type { EffectOf } from '../core/effect.ts'
import type { WorkAnswered } from '../core/event-data.ts'
import { optionChosen } from '../core/evolve-answer.ts'
import { repliesAnew, withAnswered } from '../core/evolve-ask.ts'
import { PawlError } from '../core/pawl-error.ts'
import { replyFor } from '../core/replies.ts'
import type { AskAnswer, EffectContext } from '../process/effect-context.ts'
import type { Performance } from './perform.ts'

/** How often one piece of work may ask: more is a flood, and every answer is a fact. */
const ASKS_MAX = 500

/**
 * The context with a way to answer what the agent asks: by what a person answered earlier, else by the policy, else by a person who is
 * here. Every answer is on record before the agent gets it.
 */
export function askedContext(context: EffectContext, { key }: EffectOf<'work'>, performance: Performance): EffectContext {
  const { parts, post, askPerson, signal } = performance
  let known = repliesAnew(performance.state, key)
  let asks = 0
  const record = async (data: WorkAnswered): Promise<AskAnswer> => {
    known = withAnswered(known, data)
    const by = { role: data.how === 'person' ? 'person' : 'runner' } as const
    await post([{ type: 'work.answered', at: parts.clock.now(), by, data }])
    return { option: data.option, ...(data.note === undefined ? {} : { note: data.note }) }
  }
  const fromPerson = async (ask: AgentAsk): Promise<AskAnswer | undefined> => {
    const question = askQuestion(known, ask)
    const askedAt = parts.clock.now()
    const answer = await askPerson?.(question, signal)
    if (!answer || signal.aborted) return undefined
    const consequence = optionChosen(question, answer.choice)?.consequence
    if (consequence?.kind === 'continue' && consequence.reply) {
      const { option } = consequence.reply
      const note = answer.note === undefined ? {} : { note: answer.note }
      return record({ key, ask, option, how: 'person', ...note, waitedMs: parts.clock.now() - askedAt })
    }
    const reason = 'Chosen by a person when the agent asked.'
    if (consequence?.kind === 'abort')
      await post([{ type: 'run.aborted', at: parts.clock.now(), by: { role: 'person' }, data: { reason } }])
    return undefined
  }
  const ask = async (asked: AgentAsk, byPolicy?: string): Promise<AskAnswer | undefined> => {
    if (++asks > ASKS_MAX)
      throw new PawlError('agent.asks', `The agent asked more than ${ASKS_MAX} times in one piece of work.`, {
        value: asked.title,
      })
    const reply = replyFor(known, key, asked)
    if (reply) {
      const note = reply.note === undefined ? {} : { note: reply.note }
      return record({ key, ask: asked, option: reply.option, how: 'earlier', ...note })
    }
    if (byPolicy !== undefined) return record({ key, ask: asked, option: byPolicy, how: 'policy' })
    return fromPerson(asked)
  }
  return { ...context, ask }
}
