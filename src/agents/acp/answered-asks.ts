import type { AgentAsk } from '../../core/agent-ask.ts'
import type { AskAnswer, EffectContext } from '../../process/effect-context.ts'
import { answerByPolicy, type Permissions, refusing } from '../permissions.ts'

export interface AskedBy {
  readonly context: EffectContext
  readonly permissions: Permissions
  /** Time for the answer is not the agent's time. */
  readonly pauseLimit: () => () => void
  /** The agent's turn is to end: something was asked that nobody can answer now, or cannot be asked at all. */
  readonly onStop: () => void
}

/** Finds the answers to what an agent asks, one after another, until one of them has to wait for a person. */
export class AnsweredAsks {
  readonly #by: AskedBy
  #last: Promise<unknown> = Promise.resolve()
  /** What the work is put aside for. */
  waiting: AgentAsk | undefined
  /** Why nothing can be asked any more. */
  trouble: { readonly error: unknown } | undefined

  constructor(by: AskedBy) {
    this.#by = by
  }

  /** `undefined`: there is no answer now, and the turn is over. */
  answer(ask: AgentAsk): Promise<AskAnswer | undefined> {
    const answer = this.#last.then(() => this.#answer(ask))
    this.#last = answer
    return answer
  }

  async #answer(ask: AgentAsk): Promise<AskAnswer | undefined> {
    if (this.waiting || this.trouble) return undefined
    const { context, permissions, pauseLimit, onStop } = this.#by
    const byPolicy = answerByPolicy(permissions, ask)
    if (!context.ask) {
      const option = byPolicy ?? refusing(ask.options)?.id
      context.progress(`${ask.title}: ${byPolicy === undefined ? 'refused, nobody can be asked here' : `answered by policy`}`)
      return option === undefined ? undefined : { option }
    }
    const goOn = pauseLimit()
    try {
      context.progress(`Asks: ${ask.title}`)
      const given = await context.ask(ask, byPolicy)
      if (!given) this.waiting = ask
      return given
    } catch (error) {
      this.trouble = { error }
      return undefined
    } finally {
      goOn()
      if (this.waiting || this.trouble) onStop()
    }
  }
}
