import type { Usage } from './event-data.ts'
import { type SessionWork, settledBy, withSession } from './sessions.ts'
import type { State } from './state.ts'

/** Whether an agent's work tells what it takes; where none did so far, how much of it was cut off without a word. */
export interface AgentTelling {
  readonly agent: string
  readonly isTelling?: true
  readonly silentCount?: number
}

/** How many agents are remembered. */
const AGENTS_MAX = 20

/**
 * Counts what a piece of work used, and remembers its session. `isCut`: it was at work and could not tell all. Its cost is unknown then,
 * unless it comes with a later sum of the same session.
 */
export function workSpent(state: State, agent: string, work: SessionWork, isCut: boolean): State {
  const counted = spent(state, agent, work, isCut)
  const settled = withUnpriced(counted, -settledBy(state, agent, work))
  return withSession(settled, agent, work, { isCut, isUnpriced: isUnpriced(work) || (isCut && isSilent(work)) })
}

/** Adds what was used, and counts the work whose cost is not known. */
export function spent(state: State, agent: string, usage: Usage, isCut = false): State {
  const { costUsd = 0, tokens = 0 } = usage
  const isWithoutWord = isCut && isSilent(usage)
  if (costUsd === 0 && tokens === 0 && !isWithoutWord) return state
  // Three times thirty cents are ninety cents: what binary fractions add is no money.
  const sum = Number((state.totals.costUsd + costUsd).toFixed(9))
  const totals = { ...state.totals, costUsd: sum, tokens: state.totals.tokens + tokens }
  const told = withUnpriced({ ...state, totals }, Number(isUnpriced(usage)))
  const { isTelling, silentCount = 0 } = state.tellings?.find((each) => each.agent === agent) ?? {}
  if (isTelling) return withUnpriced(told, Number(isWithoutWord))
  // Work of an agent that tells nothing, ever, is taken to cost nothing.
  if (isWithoutWord) return withTelling(told, { agent, silentCount: silentCount + 1 })
  return withUnpriced(withTelling(told, { agent, isTelling: true }), silentCount)
}

/** An agent that tells 0 for its tokens does not know their price. */
function isUnpriced({ costUsd = 0, tokens = 0 }: Usage): boolean {
  return tokens > 0 && costUsd === 0
}

function isSilent({ costUsd, tokens = 0 }: Usage): boolean {
  return costUsd === undefined && tokens === 0
}

function withTelling(state: State, telling: AgentTelling): State {
  const others = (state.tellings ?? []).filter(({ agent }) => agent !== telling.agent)
  return { ...state, tellings: [...others, telling].slice(-AGENTS_MAX) }
}

function withUnpriced(state: State, more: number): State {
  if (more === 0) return state
  const { unpriced = 0, ...totals } = state.totals
  const sum = Math.max(0, unpriced + more)
  return { ...state, totals: { ...totals, ...(sum === 0 ? {} : { unpriced: sum }) } }
}
