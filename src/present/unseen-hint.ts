import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { costUnknownWords, tokensUnknownWords } from '../core/unknown-work-words.ts'
import { money, thousands } from '../core/wording.ts'
import { isResumedHere } from './is-resumed-here.ts'

/**
 * A limit of money or tokens does not see work that nobody told the cost or the tokens of. Where the limit is reached all the same, its
 * own sentence says so.
 */
export function unseenHint(state: State, events: readonly Event[]): readonly string[] {
  const { run, totals } = state
  const { costUsdMax, tokensMax, durationMsMax } = limitsOf(state)
  const silent = silentAgents(events)
  const cost: Limit = {
    max: costUsdMax,
    used: totals.costUsd,
    unknown: costUnknownWords(totals),
    what: 'cost',
    budget: `the cost budget of ${money(costUsdMax)}`,
    usedWords: `at least ${money(totals.costUsd)} of the cost budget of ${money(costUsdMax)} is used`,
    them: 'it',
  }
  const tokens: Limit = {
    max: tokensMax,
    used: totals.tokens,
    unknown: tokensUnknownWords(totals),
    what: 'tokens',
    budget: `the budget of ${thousands(tokensMax)} tokens`,
    usedWords: `at least ${thousands(totals.tokens)} of the budget of ${thousands(tokensMax)} tokens are used`,
    them: 'them',
  }
  const sentences = [cost, tokens].flatMap((limit) => unseenBy(limit, silent))
  if (sentences.length === 0) return []
  const areTokensSeen = tokens.unknown === undefined && silent.length === 0
  if (!isResumedHere(state) || durationMsMax > 0 || (areTokensSeen && tokensMax > 0)) return [sentences.join(' ')]
  const way = areTokensSeen
    ? `Tokens and time are seen: pawl resume ${run} --budget-tokens COUNT --budget-time 40m`
    : `Time is always seen: pawl resume ${run} --budget-time 40m`
  return [[...sentences, way].join(' ')]
}

interface Limit {
  readonly max: number
  readonly used: number
  readonly unknown: string | undefined
  readonly what: 'cost' | 'tokens'
  readonly budget: string
  readonly usedWords: string
  readonly them: 'it' | 'them'
}

function unseenBy({ max, used, unknown, what, budget, usedWords, them }: Limit, silent: readonly string[]): readonly string[] {
  if (max === 0 || used >= max) return []
  const cut = unknown && `${capitalized(unknown)}: ${used === 0 ? `${budget} does not see ${them}` : usedWords}.`
  const who = silent.length === 1 ? `The agent ${silent[0]} tells` : `The agents ${silent.join(' and ')} tell`
  const whose = silent.length === 1 ? 'its' : 'their'
  const never = silent.length === 0 ? undefined : `${who} no ${what}: ${budget} does not see ${whose} work.`
  return [cut, never].filter((sentence) => sentence !== undefined)
}

/** Agents that worked, and of which no work ever told what it took. */
function silentAgents(events: readonly Event[]): readonly string[] {
  const worked = new Set<string>()
  const telling = new Set([WITHOUT_MODEL])
  for (const { type, by, data } of events) {
    const name = by.role === 'agent' ? (by.name ?? '') : ''
    if (type === 'work.started' && data.tellsUsage) telling.add(name)
    if (type !== 'work.finished' && !(type === 'work.failed' && data.fault === 'agent')) continue
    worked.add(name)
    if (data.costUsd !== undefined || data.tokens !== undefined || data.isUsagePartial) telling.add(name)
  }
  return [...worked].filter((name) => name !== '' && !telling.has(name))
}

/** Pawl's own agent asks no model, so it costs nothing. */
const WITHOUT_MODEL = 'tinker'

function limitsOf({ config }: State): Record<'costUsdMax' | 'tokensMax' | 'durationMsMax', number> {
  const { costUsdMax, tokensMax, durationMsMax } = config.guards.find(({ name }) => name === 'budget')?.settings ?? {}
  return { costUsdMax: amount(costUsdMax), tokensMax: amount(tokensMax), durationMsMax: amount(durationMsMax) }
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function capitalized(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}
